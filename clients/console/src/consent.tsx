/** Consent page of an app that asks for content. */
import { mountPage, type PageProps } from './components/mount-page';
import { keepFocus } from './lib/focus-keeper';
import { ConsentSharing, type ConsentSharingProps } from './sharing/consent-sharing';
import './submit-once';

keepFocus();
void mountPage<ConsentSharingProps & PageProps>(({ props, api, keys }) =>
  keys ? <ConsentSharing api={api} keys={keys} props={props} /> : null,
);
