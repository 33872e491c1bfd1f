import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface ConfirmButtonProps {
  /** Label of the button that opens the confirmation and of the button that confirms. */
  label: string;
  /** The consequences of the action. */
  children: ComponentChildren;
  /** Shows its own problem instead of rejecting. Until it resolves, the action can't be confirmed again. */
  onConfirm: () => Promise<void>;
}

/** Action with a confirmation that states the consequences. */
export function ConfirmButton({ label, children, onConfirm }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    await onConfirm();
    setBusy(false);
    setOpen(false);
  };
  if (!isOpen) {
    return (
      <button type="button" class="secondary" onClick={() => setOpen(true)}>
        {`${label} …`}
      </button>
    );
  }
  return (
    <div class="question inline" role="group" aria-label={label} tabIndex={-1}>
      <p>{children}</p>
      <div class="acts">
        <button type="button" class="danger" disabled={isBusy} onClick={() => void confirm()}>
          {label}
        </button>
        <button type="button" class="secondary" disabled={isBusy} onClick={() => setOpen(false)}>
          Cancel
        </button>
      </div>
    </div>
  );
}
