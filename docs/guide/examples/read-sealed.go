// Reads a session that was granted to a key of your own. Needs Go 1.19 or newer, and no packages.
//
//	go run read-sealed.go keygen              creates reader-key.json and prints the public key to grant to
//	go run read-sealed.go read SESSION_ID     with EXTERNAL_API=https://host/external/v1 and TOKEN=svc_pat_…
package main

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"
)

const keyFile = "reader-key.json"

const usage = `usage: go run read-sealed.go keygen
       go run read-sealed.go read SESSION_ID, with EXTERNAL_API=https://host/external/v1 and TOKEN=svc_pat_… set`

var (
	curve = elliptic.P256()
	b64   = base64.RawURLEncoding
)

// JSON Web Key on the curve P-256. D is its private part.
type jwk struct {
	Kty string `json:"kty"`
	Crv string `json:"crv"`
	X   string `json:"x"`
	Y   string `json:"y"`
	D   string `json:"d,omitempty"`
	Kid string `json:"kid,omitempty"`
	Use string `json:"use,omitempty"`
}

type message struct {
	ID, LocalID, Role, KeyID string
	Seq                      int
}

type content struct {
	Content string
	Key     struct{ Sealed, RecipientKeyID string }
}

// Creates a P-256 key, because the standard library has X25519 since Go 1.20 only.
func keygen() {
	private, x, y, err := elliptic.GenerateKey(curve, rand.Reader)
	check(err)
	key := jwk{Kty: "EC", Crv: "P-256", X: encodeCoordinate(x), Y: encodeCoordinate(y)}
	// RFC 7638
	thumbprint := sha256.Sum256([]byte(fmt.Sprintf(`{"crv":"P-256","kty":"EC","x":"%s","y":"%s"}`, key.X, key.Y)))
	key.Kid = b64.EncodeToString(thumbprint[:])
	file, err := os.OpenFile(keyFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	must(!errors.Is(err, os.ErrExist), keyFile+" exists already. Delete it if no grant needs it.")
	check(err)
	key.D = b64.EncodeToString(private)
	check(json.NewEncoder(file).Encode(key))
	check(file.Close())
	key.D, key.Use = "", "enc"
	check(json.NewEncoder(os.Stdout).Encode(key))
}

func read(sessionID string) {
	var reader jwk
	text, err := os.ReadFile(keyFile)
	must(!errors.Is(err, os.ErrNotExist), "There is no "+keyFile+": create it with keygen.")
	check(err)
	check(json.Unmarshal(text, &reader))
	var me struct{ Account struct{ ID string } }
	get("/me", &me)
	var session struct{ Tag string }
	get("/sessions/"+sessionID, &session)
	eachMessage(sessionID, func(m message) {
		var c content
		get("/sessions/"+sessionID+"/messages/"+m.ID+"/content?encoding=sealed", &c)
		must(c.Key.RecipientKeyID == reader.Kid, "granted to another key")
		dataKey := openKey(c.Key.Sealed, reader, m.KeyID)
		place := map[string]any{"a": me.Account.ID, "s": session.Tag, "l": m.LocalID, "r": m.Role}
		fmt.Printf("#%d %s: %s\n", m.Seq, m.Role, openContent(c.Content, dataKey, m.KeyID, place))
	})
}

// Returns the data key of the session, 32 bytes.
func openKey(sealed string, reader jwk, keyID string) []byte {
	h := header(sealed, "alg enc epk", "kid cty apu apv")
	must(h["alg"] == "ECDH-ES+A256KW" && h["enc"] == "A256GCM", "unexpected algorithm")
	var parts struct {
		Epk      jwk
		Apu, Apv string
	}
	check(json.Unmarshal(decode(strings.Split(sealed, ".")[0]), &parts))
	x, y := decodeCoordinate(parts.Epk.X), decodeCoordinate(parts.Epk.Y)
	must(parts.Epk.Crv == "P-256" && curve.IsOnCurve(x, y), "the key isn't on the curve")
	secret, _ := curve.ScalarMult(x, y, decode(reader.D))
	// RFC 7518 §4.6.2
	input := append(uint32Bytes(1), secret.FillBytes(make([]byte, 32))...)
	for _, part := range [][]byte{[]byte("ECDH-ES+A256KW"), decode(parts.Apu), decode(parts.Apv)} {
		input = append(append(input, uint32Bytes(len(part))...), part...)
	}
	wrappingKey := sha256.Sum256(append(input, uint32Bytes(256)...))
	key := unwrap(wrappingKey[:], decode(strings.Split(sealed, ".")[1]))
	var data struct{ Kty, Kid, K string }
	check(json.Unmarshal(decrypt(sealed, key), &data))
	must(data.Kty == "oct" && (data.Kid == "" || data.Kid == keyID), "another key was sealed")
	return decode(data.K)
}

// Decrypts the text if its header names this key and this place.
func openContent(text string, dataKey []byte, keyID string, place map[string]any) []byte {
	h := header(text, "alg cty enc kid svc", "")
	must(h["alg"] == "dir" && h["enc"] == "A256GCM", "unexpected algorithm")
	must(h["kid"] == keyID, "the text is under another key")
	must(reflect.DeepEqual(h["svc"], any(place)), "the text belongs elsewhere")
	return decrypt(text, dataKey)
}

// Decrypts the payload with A256GCM, which also authenticates the header.
func decrypt(jwe string, key []byte) []byte {
	parts := strings.Split(jwe, ".")
	must(len(parts) == 5, "not a compact JWE")
	block, err := aes.NewCipher(key)
	check(err)
	gcm, err := cipher.NewGCM(block)
	check(err)
	nonce := decode(parts[2])
	must(len(nonce) == gcm.NonceSize(), "unexpected nonce")
	plaintext, err := gcm.Open(nil, nonce, append(decode(parts[3]), decode(parts[4])...), []byte(parts[0]))
	check(err)
	return plaintext
}

// Unwraps a 256-bit key (RFC 3394).
func unwrap(wrappingKey, wrapped []byte) []byte {
	must(len(wrapped) == 40, "the sealed key has another length")
	block, err := aes.NewCipher(wrappingKey)
	check(err)
	buffer, key := make([]byte, 16), append([]byte{}, wrapped[8:]...)
	copy(buffer, wrapped[:8])
	for step := 24; step > 0; step-- {
		register := key[(step-1)%4*8:][:8]
		binary.BigEndian.PutUint64(buffer, binary.BigEndian.Uint64(buffer)^uint64(step))
		copy(buffer[8:], register)
		block.Decrypt(buffer, buffer)
		copy(register, buffer[8:])
	}
	must(binary.BigEndian.Uint64(buffer) == 0xa6a6a6a6a6a6a6a6, "the key was sealed to another key")
	return key
}

// Rejects every header member that is not listed, such as zip and crit, so that none can change the meaning of the others.
func header(jwe, required, optional string) map[string]any {
	encoded, _, _ := strings.Cut(jwe, ".")
	var members map[string]any
	check(json.Unmarshal(decode(encoded), &members))
	for _, name := range strings.Fields(required) {
		_, found := members[name]
		must(found, "the header lacks "+name)
	}
	listed := " " + required + " " + optional + " "
	for name := range members {
		must(strings.Contains(listed, " "+name+" "), "unexpected header "+name)
	}
	return members
}

func eachMessage(sessionID string, visit func(message)) {
	query := "?order=asc"
	for {
		var page []message
		next := get("/sessions/"+sessionID+"/messages"+query, &page)
		for _, m := range page {
			visit(m)
		}
		if next == nil {
			return
		}
		query = "?order=asc&cursor=" + url.QueryEscape(*next)
	}
}

// Decodes `data` into the given value and returns the cursor of a list.
func get(path string, data any) *string {
	request, err := http.NewRequest("GET", os.Getenv("EXTERNAL_API")+path, nil)
	check(err)
	request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
	response, err := http.DefaultClient.Do(request)
	check(err)
	defer response.Body.Close()
	answer := struct {
		Data         any
		NextCursor   *string
		Code, Detail string
	}{Data: data}
	check(json.NewDecoder(response.Body).Decode(&answer))
	must(answer.Code == "", fmt.Sprintf("%d %s: %s", response.StatusCode, answer.Code, answer.Detail))
	return answer.NextCursor
}

func decode(text string) []byte {
	bytes, err := b64.DecodeString(text)
	check(err)
	return bytes
}

func encodeCoordinate(value *big.Int) string {
	return b64.EncodeToString(value.FillBytes(make([]byte, 32)))
}

func decodeCoordinate(text string) *big.Int {
	return new(big.Int).SetBytes(decode(text))
}

func uint32Bytes(value int) []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(value))
}

func must(good bool, problem string) {
	if !good {
		fmt.Fprintln(os.Stderr, "error: "+problem)
		os.Exit(1)
	}
}

func check(err error) {
	if err != nil {
		must(false, err.Error())
	}
}

func main() {
	switch args := os.Args[1:]; {
	case len(args) == 1 && args[0] == "keygen":
		keygen()
	case len(args) == 2 && args[0] == "read" && os.Getenv("EXTERNAL_API") != "" && os.Getenv("TOKEN") != "":
		read(args[1])
	default:
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
}
