import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PermissionRecord } from '../content/records';
import { shortenId, showInvisibleCharacters } from '../lib/visible-text';

/** Names of tokens and devices by id, as the server knew them when it sent the page. */
export const DeciderNames = createContext<Record<string, string>>({});

/** Names who decided on a request: by its id if it was created after the page was sent. */
export function DeciderName({ decidedBy }: { decidedBy: NonNullable<PermissionRecord['decidedBy']> | null }) {
  const names = useContext(DeciderNames);
  const id = decidedBy?.tokenId ?? decidedBy?.deviceId;
  if (!id) return <>the machine itself</>;
  return (
    <>
      {decidedBy?.tokenId ? 'the token ' : 'your device '}
      <bdi title={id}>{id in names ? showInvisibleCharacters(names[id]!) : shortenId(id)}</bdi>
    </>
  );
}
