import provideAvailableTemplate from '../available-template';
import { installClient, packClient } from './client-package';

/** Provides the template of databases, and a folder with the packed client. */
export default async function setUpClients(): Promise<void> {
  await provideAvailableTemplate();
  process.env.TEST_CLIENT_TARBALL = packClient('typescript');
  process.env.TEST_CLIENT_FOLDER = installClient(process.env.TEST_CLIENT_TARBALL);
}
