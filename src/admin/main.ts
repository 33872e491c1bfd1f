import 'reflect-metadata';
import { runAdmin } from './run-admin';

void runAdmin(process.argv.slice(2), {
  answer: (text) => process.stdout.write(`${text}\n`),
  remark: (text) => process.stderr.write(`${text}\n`),
}).then((status) => process.exit(status));
