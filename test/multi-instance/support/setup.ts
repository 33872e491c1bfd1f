export { ensureServiceBuilt as default } from '../../support/ensure-service-built';
