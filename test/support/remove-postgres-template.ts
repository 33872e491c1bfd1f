export { teardown as default } from './postgres-template';
