import type { ExternalTokenRecord } from '../../external-tokens';
import { Copyable } from '../parts/copyable';
import { ShownOnce } from '../parts/shown-once';
import { meCurl } from './me-curl';

interface TokenShownProps {
  heading: string;
  token: ExternalTokenRecord;
  secret: string;
  publicUrl: string;
}

export function TokenShown({ heading, token, secret, publicUrl }: TokenShownProps) {
  return (
    <ShownOnce
      heading={heading}
      label={`Token ${token.name}`}
      secret={secret}
      next={{ path: `/console/tokens/${token.id}`, text: 'I have it' }}
    >
      <h2>Try it</h2>
      <Copyable block label="First call" text={meCurl(publicUrl, secret)} />
    </ShownOnce>
  );
}
