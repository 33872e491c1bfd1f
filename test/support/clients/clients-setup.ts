import provideEmbeddedTemplate from '../embedded-template';
import { installClient, packClient } from './client-package';

/** Provides the template of databases, and a folder with the packed client. */
export default async function setUpClients(): Promise<void> {
  await provideEmbeddedTemplate();
  process.env.TEST_CLIENT_TARBALL = packClient();
  process.env.TEST_CLIENT_FOLDER = installClient(process.env.TEST_CLIENT_TARBALL);
}
