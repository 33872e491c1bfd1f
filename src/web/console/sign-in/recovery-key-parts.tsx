/** Recovery key with what people do to save it. Scripts fill it in (clients/console/src/lib/shown-recovery-key.ts). */
export function RecoveryKeyPaper({ username }: { username?: string }) {
  return (
    <>
      <div class="paper">
        <p class="paper-only">
          Recovery key of <strong id="paper-username">{username}</strong> at <span id="paper-host" />
        </p>
        <output class="groups" id="recovery-key" aria-label="Recovery key" />
        <p class="paper-only">To use it, go to the sign-in page and choose “Use my recovery key”.</p>
      </div>
      <div class="actions">
        <button type="button" class="secondary" id="print">
          Print
        </button>
        <button type="button" class="secondary" id="save">
          Download
        </button>
        <button type="button" class="secondary" id="copy">
          Copy
        </button>
      </div>
    </>
  );
}

/** Confirms that the key was saved. The field has no name, so that no form sends a part of the key. */
export function LastGroupField() {
  return (
    <label>
      Last four characters of the key
      <input
        id="last-group"
        class="code"
        required
        maxlength={4}
        autocomplete="off"
        autocapitalize="characters"
        spellcheck={false}
      />
      <small>Confirm your key: enter its last four characters from your copy.</small>
    </label>
  );
}
