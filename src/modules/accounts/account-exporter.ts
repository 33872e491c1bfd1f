import { Injectable } from '@nestjs/common';

/** One kind of record in an export. Its rows are read while the response is sent. */
export interface AccountExportSection<Row> {
  name: string;
  scanRows: (accountId: string) => AsyncIterable<Row>;
  toRecord: (row: Row) => object;
}

/** Exports the records of an account. Each module registers a section for the records it stores. */
@Injectable()
export class AccountExporter {
  private readonly sections: { name: string; streamJson: (accountId: string) => AsyncGenerator<string> }[] = [];

  registerSection<Row>(section: AccountExportSection<Row>): void {
    this.sections.push({ name: section.name, streamJson: (accountId) => streamRecords(section, accountId) });
  }

  /** Yields one JSON document in chunks: `{"data": {"account": …, "devices": […], …}}`. */
  async *streamJson(accountId: string, account: object): AsyncGenerator<string> {
    yield `{"data":{"account":${JSON.stringify(account)}`;
    for (const section of [...this.sections].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      yield `,${JSON.stringify(section.name)}:[`;
      yield* section.streamJson(accountId);
      yield ']';
    }
    yield '}}';
  }
}

/** Yields the elements of a section's JSON array. */
async function* streamRecords<Row>(
  { scanRows, toRecord }: AccountExportSection<Row>,
  accountId: string,
): AsyncGenerator<string> {
  let separator = '';
  for await (const row of scanRows(accountId)) {
    yield separator + JSON.stringify(toRecord(row));
    separator = ',';
  }
}
