/** Page of one artifact. */
import { ArtifactPage } from './artifacts/artifact-page';
import { mountPage, type PageProps } from './components/mount-page';
import type { SharingProps } from './sharing/key-grants';

interface ArtifactPageProps extends PageProps {
  artifactId: string;
  sharing: SharingProps;
}

void mountPage<ArtifactPageProps>(({ props, api, keys }) => (
  <ArtifactPage api={api} keys={keys} accountId={props.accountId} id={props.artifactId} sharing={props.sharing} />
));
