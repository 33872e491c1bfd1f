/** A file that came with a message, as the journal keeps it until the prompt: its bytes, or an artifact with them. */
export type TurnAttachment =
  | {
      /** Safe as the name of a file, see `toFileName`. */
      name: string;
      /** base64 */
      data: string;
    }
  | { name: string; artifactId: string; tag: string };

/** What the user has sent to begin a turn. */
export interface TurnPrompt {
  text: string;
  attachments: readonly TurnAttachment[];
}
