export { endPostgresRun as default } from './postgres-template';
