/** Where a command writes: its answer for scripts, remarks for the person. */
export interface Output {
  answer: (text: string) => void;
  remark: (text: string) => void;
}
