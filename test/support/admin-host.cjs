/**
 * Runs `node dist/src/programs/admin/main.js` several times, one after another, without loading its modules again. Each
 * message is a run: `main`, the path of the program, `env`, `args` and `input`; the answer has what it wrote and its
 * exit status. Ends with the process that started it.
 */
const { Readable } = require('node:stream');

process.on('message', runProgram);
// Not by process.exit, which ends a run only.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

function runProgram({ main, env, args, input }) {
  const written = { stdout: '', stderr: '' };
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, main, ...args];
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true });
  for (const name of ['stdout', 'stderr'])
    process[name].write = (chunk, ...more) => {
      written[name] += String(chunk);
      more.find((each) => typeof each === 'function')?.();
      return true;
    };
  process.exit = (code) => {
    for (const name of ['stdout', 'stderr']) process[name].removeAllListeners('error');
    process.send({ code, ...written });
  };
  // The modules that it loads stay loaded.
  delete require.cache[main];
  require(main);
}
