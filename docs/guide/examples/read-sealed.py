# Reads a session that was granted to a key of your own. Needs Python 3.9 or newer, and: pip install joserfc
#
#   python read-sealed.py keygen              creates reader-key.json and prints the public key to grant to
#   python read-sealed.py read SESSION_ID     with EXTERNAL_API=https://host/external/v1 and TOKEN=svc_pat_…
import json
import os
import sys
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

try:
    from joserfc import jwe
    from joserfc.errors import JoseError
    from joserfc.jwk import OctKey, OKPKey
    from joserfc.util import urlsafe_b64decode
except ModuleNotFoundError:
    sys.exit("error: This program needs joserfc: pip install joserfc")

KEY_FILE = os.environ.get("KEY_FILE", "reader-key.json")


class Registry(jwe.JWERegistry):
    # A message may exceed the 64 KiB that the library allows by default.
    max_ciphertext_length = 512 * 1024


SEALED_KEY = Registry(algorithms=["ECDH-ES+A256KW", "A256GCM"])
# The library does not know "svc". check_header() checks the members instead.
CONTENT = Registry(algorithms=["dir", "A256GCM"], strict_check_header=False)


def keygen():
    key = OKPKey.generate_key("X25519", {"use": "enc"}, private=True)
    kid = key.thumbprint()
    private = {**key.as_dict(private=True), "kid": kid}
    if os.path.exists(KEY_FILE):
        raise ValueError(f"{KEY_FILE} exists already. Delete it if no grant needs it.")
    descriptor = os.open(KEY_FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(private, file)
    print(json.dumps({**key.as_dict(private=False), "kid": kid}))


def read(session_id):
    if not os.path.exists(KEY_FILE):
        raise ValueError(f"There is no {KEY_FILE}: create it with keygen.")
    with open(KEY_FILE) as file:
        reader = json.load(file)
    account = get("/me")["data"]["account"]
    session = get(f"/sessions/{session_id}")["data"]
    for message in messages(session_id):
        data = get(f"/sessions/{session_id}/messages/{message['id']}/content?encoding=sealed")["data"]
        if data["key"]["recipientKeyId"] != reader["kid"]:
            raise ValueError("granted to another key")
        data_key = open_key(data["key"]["sealed"], reader, message["keyId"])
        place = {"a": account["id"], "s": session["tag"], "l": message["localId"], "r": message["role"]}
        text = open_content(data["content"], data_key, message["keyId"], place)
        print(f"#{message['seq']} {message['role']}: {text}")


def open_key(sealed, reader, key_id):
    """Returns the data key of the session."""
    check_header(sealed, {"alg", "enc", "epk"}, {"kid", "cty", "apu", "apv"})
    opened = jwe.decrypt_compact(sealed, OKPKey.import_key(reader), registry=SEALED_KEY)
    jwk = json.loads(opened.plaintext)
    if jwk["kty"] != "oct" or jwk.get("kid", key_id) != key_id:
        raise ValueError("another key was sealed")
    return OctKey.import_key({"kty": "oct", "k": jwk["k"]})


def open_content(content, data_key, key_id, place):
    """Decrypts the text if its header names this key and this place."""
    header = check_header(content, {"alg", "cty", "enc", "kid", "svc"})
    if header["kid"] != key_id:
        raise ValueError("the text is under another key")
    if header["svc"] != place:
        raise ValueError("the text belongs elsewhere")
    opened = jwe.decrypt_compact(content, data_key, registry=CONTENT)
    return opened.plaintext.decode()


def check_header(token, required, optional=frozenset()):
    """Rejects every header member that is not listed, such as zip and crit, even if the JOSE library supports it."""
    header = json.loads(urlsafe_b64decode(token.split(".")[0].encode()))
    if not required <= header.keys() <= required | optional:
        raise ValueError(f"unexpected header: {sorted(header)}")
    return header


def messages(session_id):
    cursor = ""
    while cursor is not None:
        query = "order=asc" + (f"&cursor={quote(cursor)}" if cursor else "")
        page = get(f"/sessions/{session_id}/messages?{query}")
        yield from page["data"]
        cursor = page["nextCursor"]


def get(path):
    headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
    try:
        with urlopen(Request(os.environ["EXTERNAL_API"] + path, headers=headers)) as response:
            return json.load(response)
    except HTTPError as error:
        problem = json.load(error)
        raise ValueError(f"{error.code} {problem['code']}: {problem['detail']}") from None


USAGE = """usage: python read-sealed.py keygen
       python read-sealed.py read SESSION_ID, with EXTERNAL_API=https://host/external/v1 and TOKEN=svc_pat_… set"""

if __name__ == "__main__":
    try:
        if sys.argv[1:] == ["keygen"]:
            keygen()
        elif len(sys.argv) == 3 and sys.argv[1] == "read" and {"EXTERNAL_API", "TOKEN"} <= os.environ.keys():
            read(sys.argv[2])
        else:
            print(USAGE, file=sys.stderr)
            sys.exit(2)
    except (ValueError, URLError, JoseError) as error:
        sys.exit(f"error: {error}")
