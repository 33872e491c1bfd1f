/** Page of all artifacts. */
import { ArtifactList } from './artifacts/artifact-list';
import { mountPage } from './components/mount-page';

void mountPage(({ api, keys }) => <ArtifactList api={api} keys={keys} />);
