import { useEffect, useState } from 'preact/hooks';
import type { ArtifactMetadata } from '../content/records';
import { formatArtifactTitle } from './artifact-title';
import type { ArtifactTitleReader } from './artifact-title-reader';

/** Title of an artifact, which is more precise once its content has been read. */
export function ArtifactName({ artifact, titles }: { artifact: ArtifactMetadata; titles: ArtifactTitleReader }) {
  const [title, setTitle] = useState(() => formatArtifactTitle(artifact.tag, null, null));
  useEffect(() => {
    let isCurrent = true;
    void titles.readTitle(artifact).then((read) => isCurrent && setTitle(read));
    return () => {
      isCurrent = false;
    };
  }, [artifact.id, artifact.version]);
  return <>{title}</>;
}
