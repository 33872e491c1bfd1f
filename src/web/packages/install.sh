#!/bin/sh
# Installs two commands for this user: xapi-device, which makes this computer a device of an account, and xapi, which
# uses the account's agents and machines. It needs Node.js, and curl or wget, which may use a proxy.
#
#   curl -fsS "$HOST/install.sh" | sh
#   curl -fsS "$HOST/install.sh" | PREFIX=/opt/external-api sh    # instead of ~/.local
#
# The last line calls what is defined here, so a part of this file does nothing. Each file is complete and verified
# before it replaces an older one. Run it again to upgrade. To uninstall, delete PREFIX/lib/external-api and both links.

host=@host@
node_engines=@nodeEngines@
node_versions=@nodeVersions@
device_version=@deviceVersion@
device_sha256=@deviceSha256@
client_version=@clientVersion@
client_sha256=@clientSha256@

fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

clean_up() {
  [ -z "$temp" ] || rm -rf "$temp"
  rm -f "$bin/.xapi.$$" "$bin/.xapi-device.$$" 2>/dev/null || :
}

check_node() {
  node=$(command -v node) || fail "Needs Node.js $node_versions (https://nodejs.org), and PATH has no node."
  # Very old versions of Node.js must understand it.
  "$node" -e '
    var actual = process.versions.node.split(".").map(Number);
    process.exit(process.argv[1].split(" || ").some(function (range) {
      var minimum = range.replace(/^\D+/, "").split(".").map(Number);
      if (actual[0] !== minimum[0]) return range.charAt(0) === ">" && actual[0] > minimum[0];
      return actual[1] !== minimum[1] ? actual[1] > minimum[1] : actual[2] >= minimum[2];
    }) ? 0 : 1);
  ' "$node_engines" </dev/null 2>/dev/null ||
    fail "Needs Node.js $node_versions. $node is $("$node" --version 2>/dev/null </dev/null || echo 'not Node.js')."
}

# A command of the same name that something else has installed stays as it is.
check_command() {
  [ -e "$bin/$1" ] || [ -L "$bin/$1" ] || return 0
  [ "$(readlink "$bin/$1")" = "$lib/$1.cjs" ] ||
    fail "$bin/$1 exists, and this script has not installed it. Remove it, or choose another folder with PREFIX."
}

download() { # URL FILE
  if command -v curl >/dev/null 2>&1; then
    curl -fsSLg --retry 2 -o "$2" "$1" </dev/null
  elif command -v wget >/dev/null 2>&1; then
    wget -q -O "$2" "$1" </dev/null
  else
    fail 'Needs curl or wget.'
  fi || fail "$1 could not be downloaded."
}

# Writes a file of a package, if the package has this SHA-256.
extract() { # URL TARBALL SHA256 NAME FILE
  "$node" -e '
    var fs = require("fs");
    var url = process.argv[1], expected = process.argv[3], name = process.argv[4];
    try {
      var content = fs.readFileSync(process.argv[2]);
      var actual = require("crypto").createHash("sha256").update(content).digest("hex");
      if (actual !== expected && /^\s*</.test(content.toString("latin1", 0, 512)))
        throw new Error(url + " is a web page. A proxy or a login page between this computer and the service may " +
          "have answered.");
      if (actual !== expected)
        throw new Error(url + " has the SHA-256 " + actual + " instead of " + expected + ". If the service is being " +
          "upgraded, try again in a few minutes.");
      var tar = require("zlib").gunzipSync(content);
      for (var at = 0, size; at + 512 <= tar.length; at += 512 + Math.ceil(size / 512) * 512) {
        size = parseInt(tar.toString("latin1", at + 124, at + 136), 8);
        if (tar.toString("utf8", at, at + 100).split("\0")[0] !== name) continue;
        fs.writeFileSync(process.argv[5], tar.subarray(at + 512, at + 512 + size));
        fs.chmodSync(process.argv[5], 493);
        process.exit(0);
      }
      throw new Error(url + " does not contain " + name + ".");
    } catch (error) {
      console.error("install.sh: " + error.message);
      process.exit(1);
    }
  ' "$@" </dev/null || exit 1
}

# Each of the two renames replaces a whole file.
install_command() { # NAME
  {
    mv -f "$temp/$1.cjs" "$lib/$1.cjs" &&
      ln -s "$lib/$1.cjs" "$bin/.$1.$$" &&
      mv -f "$bin/.$1.$$" "$bin/$1"
  } || fail "$1 could not be installed in $bin."
}

explain_path() {
  case ":$PATH:" in
    *":$bin:"*)
      found=$(command -v xapi) || found=
      [ "$found" = "$bin/xapi" ] || printf 'PATH has another xapi before it: %s\n' "$found"
      return
      ;;
  esac
  shown=$bin
  # shellcheck disable=SC2016 # The shell that reads the line expands it.
  [ "$bin" != "${HOME:-}/.local/bin" ] || shown='$HOME/.local/bin'
  printf 'This folder is not in PATH. Add this line to ~/.profile, or ~/.zshrc on macOS, and open a new terminal:\n'
  # shellcheck disable=SC2016
  printf '  export PATH="%s:$PATH"\n' "$shown"
}

main() {
  temp=
  prefix=${PREFIX:-${HOME:+$HOME/.local}}
  prefix=${prefix%/}
  bin=$prefix/bin
  lib=$prefix/lib/external-api
  case $prefix in
    '') fail 'HOME is not set. Set PREFIX to the folder to install to.' ;;
    /*) ;;
    *) fail "PREFIX must be an absolute path, not $prefix." ;;
  esac
  check_node
  check_command xapi-device
  check_command xapi
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  reason=$(mkdir -p "$bin" "$lib" 2>&1) || fail "Choose another folder with PREFIX: $reason"
  [ -w "$bin" ] || fail "Choose another folder with PREFIX: $bin is not writable."
  # On the file system of its destination, so that files can be renamed.
  temp=$(mktemp -d "$lib/.install.XXXXXX" 2>/dev/null) ||
    fail "Choose another folder with PREFIX: $lib is not writable."

  printf 'Downloading from %s ...\n' "$host"
  download "$host/packages/device.tgz" "$temp/device.tgz"
  download "$host/packages/client.tgz" "$temp/client.tgz"
  extract "$host/packages/device.tgz" "$temp/device.tgz" "$device_sha256" package/dist/main.cjs "$temp/xapi-device.cjs"
  extract "$host/packages/client.tgz" "$temp/client.tgz" "$client_sha256" package/dist/xapi.cjs "$temp/xapi.cjs"
  for name in xapi-device xapi; do
    "$node" "$temp/$name.cjs" --help >/dev/null </dev/null || fail "$name does not run with $node."
  done
  install_command xapi-device
  install_command xapi

  printf 'Installed xapi-device %s and xapi %s in %s\n' "$device_version" "$client_version" "$bin"
  explain_path
  printf '\nNext:\n'
  printf '  xapi-device link --url %s   # makes this computer a machine of your account\n' "$host"
  printf '  xapi login --host %s        # uses the account with a token\n' "$host"
}

main "$@"
