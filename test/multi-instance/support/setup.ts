export { ensureBuilt as default } from '../../support/ensure-built';
