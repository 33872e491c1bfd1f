import { ConfirmAction } from '../components/confirm-action';

interface RenameInPlaceProps {
  /** Current name. */
  name: string;
  /** Path that the form posts to. Its page shows a rejected name again (rename-page.tsx). */
  action: string;
  /** Page that shows the name, unless the action has one page only. */
  returnPath?: string;
}

/** Changes the name of a token, a device or a machine where it is shown. */
export function RenameInPlace({ name, action, returnPath }: RenameInPlaceProps) {
  const nameField = (
    <label>
      Name
      <input name="name" value={name} maxLength={100} required autocomplete="off" />
      {returnPath !== undefined && <input type="hidden" name="return" value={returnPath} />}
    </label>
  );
  return (
    <ConfirmAction label="Rename" target={name} action={action} isHarmless fields={nameField}>
      Your tokens and apps may see the name. It isn’t encrypted.
    </ConfirmAction>
  );
}
