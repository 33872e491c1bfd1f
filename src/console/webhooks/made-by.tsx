import type { WebhookRecord } from '../../webhooks';
import type { Names } from './creator-names';

interface MadeByProps {
  webhook: WebhookRecord;
  names: Names;
}

/** Who made it: a token of the account, an app, or a person here. */
export function MadeBy({ webhook: { createdBy }, names }: MadeByProps) {
  const { tokenId, appId } = createdBy;
  if (appId !== null) return <>{`The app ${names.get(appId) ?? appId}`}</>;
  if (tokenId === null) return <>You, here</>;
  return (
    <>
      {'The token '}
      <a href={`/console/tokens/${tokenId}`}>{names.get(tokenId) ?? tokenId}</a>
    </>
  );
}
