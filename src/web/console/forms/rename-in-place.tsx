import { ConfirmAction } from '../components/confirm-action';

interface RenameInPlaceProps {
  /** Current name. */
  name: string;
  /** Path that the form posts to. Its page shows a rejected name again (rename-page.tsx). */
  action: string;
}

/** Changes the name of a token or a device where it is shown. */
export function RenameInPlace({ name, action }: RenameInPlaceProps) {
  const nameField = (
    <label>
      Name
      <input name="name" value={name} maxLength={100} required autocomplete="off" />
    </label>
  );
  return (
    <ConfirmAction label="Rename" target={name} action={action} isHarmless fields={nameField}>
      Only you see the name.
    </ConfirmAction>
  );
}
