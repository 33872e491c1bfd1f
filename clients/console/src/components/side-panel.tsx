import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** From this width on, the panel has a place beside the page. */
const WIDE = '(min-width: 70rem)';

interface SidePanelState {
  isOpen: boolean;
  isWide: boolean;
  setOpen: (isOpen: boolean) => void;
}

/** Open at first where there is a place for it. */
export function useSidePanel(): SidePanelState {
  const [isWide, setWide] = useState(() => matchMedia(WIDE).matches);
  const [isOpen, setOpen] = useState(isWide);
  useEffect(() => {
    const query = matchMedia(WIDE);
    const adapt = () => {
      setWide(query.matches);
      setOpen(query.matches);
    };
    query.addEventListener('change', adapt);
    return () => query.removeEventListener('change', adapt);
  }, []);
  return { isOpen, isWide, setOpen };
}

interface SidePanelProps {
  id: string;
  label: string;
  panel: SidePanelState;
  children: ComponentChildren;
}

/** Panel beside the page, or a sheet above it on a narrow screen. */
export function SidePanel({ id, label, panel: { isOpen, isWide, setOpen }, children }: SidePanelProps) {
  const sheet = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen && !isWide) sheet.current?.showModal();
  }, [isOpen, isWide]);
  if (!isOpen) return null;
  if (isWide)
    return (
      <section id={id} class="side-panel" aria-label={label}>
        {children}
      </section>
    );
  const close = () => sheet.current!.close();
  return (
    <dialog
      id={id}
      class="side-panel"
      ref={sheet}
      aria-label={label}
      onClose={() => setOpen(false)}
      // The backdrop counts as the dialog itself.
      onClick={({ target, currentTarget }) => target === currentTarget && close()}
    >
      <button type="button" class="plain close" onClick={close}>
        Close
      </button>
      <div>{children}</div>
    </dialog>
  );
}
