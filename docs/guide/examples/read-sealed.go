// Reads a session that was granted to a key of your own. Needs Go, and:
// go get github.com/go-jose/go-jose/v4
//
//	go run read-sealed.go keygen              creates reader-key.json and prints the public key to grant to
//	go run read-sealed.go read SESSION_ID     with EXTERNAL_API=https://host/external/v1 and TOKEN=svc_pat_…
package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

const keyFile = "reader-key.json"

type message struct {
	ID, LocalID, Role, KeyID string
	Seq                      int
}

type content struct {
	Content string
	Key     struct{ Sealed, RecipientKeyID string }
}

// This library seals to P-256, not to X25519.
func keygen() {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	key := jose.JSONWebKey{Key: private, Use: "enc"}
	thumbprint, err := key.Thumbprint(crypto.SHA256)
	check(err)
	key.KeyID = base64.RawURLEncoding.EncodeToString(thumbprint)
	file, err := os.OpenFile(keyFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	check(err)
	check(json.NewEncoder(file).Encode(key))
	check(file.Close())
	check(json.NewEncoder(os.Stdout).Encode(key.Public()))
}

func read(sessionID string) {
	var reader jose.JSONWebKey
	text, err := os.ReadFile(keyFile)
	check(err)
	check(json.Unmarshal(text, &reader))
	var me struct{ Account struct{ ID string } }
	get("/me", &me)
	var session struct{ Tag string }
	get("/sessions/"+sessionID, &session)
	eachMessage(sessionID, func(m message) {
		var c content
		get("/sessions/"+sessionID+"/messages/"+m.ID+"/content?encoding=sealed", &c)
		must(c.Key.RecipientKeyID == reader.KeyID, "granted to another key")
		dataKey := openKey(c.Key.Sealed, reader.Key, m.KeyID)
		place := map[string]any{"a": me.Account.ID, "s": session.Tag, "l": m.LocalID, "r": m.Role}
		fmt.Printf("#%d %s: %s\n", m.Seq, m.Role, openContent(c.Content, dataKey, m.KeyID, place))
	})
}

// Returns the data key of the session, 32 bytes.
func openKey(sealed string, reader any, keyID string) []byte {
	header(sealed, "alg enc epk", "kid cty apu apv")
	var jwk struct{ Kty, Kid, K string }
	check(json.Unmarshal(decrypt(sealed, jose.ECDH_ES_A256KW, reader), &jwk))
	must(jwk.Kty == "oct" && (jwk.Kid == "" || jwk.Kid == keyID), "another key was sealed")
	key, err := base64.RawURLEncoding.DecodeString(jwk.K)
	check(err)
	return key
}

// Decrypts the text if its header names this key and this place.
func openContent(text string, dataKey []byte, keyID string, place map[string]any) []byte {
	h := header(text, "alg cty enc kid svc", "")
	must(h["kid"] == keyID, "the text is under another key")
	must(reflect.DeepEqual(h["svc"], any(place)), "the text belongs elsewhere")
	return decrypt(text, jose.DIRECT, dataKey)
}

func decrypt(jwe string, algorithm jose.KeyAlgorithm, key any) []byte {
	parsed, err := jose.ParseEncryptedCompact(
		jwe, []jose.KeyAlgorithm{algorithm}, []jose.ContentEncryption{jose.A256GCM})
	check(err)
	plaintext, err := parsed.Decrypt(key)
	check(err)
	return plaintext
}

// Rejects every header member that is not listed, such as zip and crit, even if the JOSE library supports it.
func header(jwe, required, optional string) map[string]any {
	encoded, _, _ := strings.Cut(jwe, ".")
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	check(err)
	var members map[string]any
	check(json.Unmarshal(text, &members))
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

func must(good bool, fault string) {
	if !good {
		log.Fatal(fault)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	switch args := os.Args[1:]; {
	case len(args) == 1 && args[0] == "keygen":
		keygen()
	case len(args) == 2 && args[0] == "read":
		read(args[1])
	default:
		log.Fatal("usage: keygen, or read SESSION_ID with EXTERNAL_API and TOKEN set")
	}
}
