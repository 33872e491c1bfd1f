export { removePostgresTemplate as default } from './postgres-template';
