import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface ConfirmButtonProps {
  /** Label of the button that opens the confirmation and of the button that confirms. */
  label: string;
  /** The consequences of the action. */
  children: ComponentChildren;
  isDisabled?: boolean;
  onConfirm: () => void;
}

/** Action with a confirmation that states the consequences. */
export function ConfirmButton({ label, children, isDisabled = false, onConfirm }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const confirm = () => {
    setOpen(false);
    onConfirm();
  };
  if (!isOpen) {
    return (
      <button type="button" class="secondary" disabled={isDisabled} onClick={() => setOpen(true)}>
        {`${label} …`}
      </button>
    );
  }
  return (
    <div class="question inline" role="group" aria-label={label} tabIndex={-1}>
      <p>{children}</p>
      <div class="acts">
        <button type="button" class="danger" onClick={confirm}>
          {label}
        </button>
        <button type="button" class="secondary" onClick={() => setOpen(false)}>
          Cancel
        </button>
      </div>
    </div>
  );
}
