const PASSED_ON = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|TMPDIR|XDG_RUNTIME_DIR)$/;

/**
 * The environment of every command: a list of harmless names. A list of what to leave out would let the secrets of
 * whatever started the device slip through.
 */
export function commandEnvironment(own: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const passed = Object.entries(own).filter(([name]) => PASSED_ON.test(name));
  return { PATH: '/usr/local/bin:/usr/bin:/bin', ...Object.fromEntries(passed) };
}
