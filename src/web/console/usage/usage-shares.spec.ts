import openApi from '../../../../openapi.json';
import { METHOD_LABELS } from '../activity/call-page';
import { getOperationLabel } from './usage-shares';

type Operation = { operationId: string; security?: object[] };

const operations = Object.values(openApi.paths).flatMap((methods) => Object.values(methods) as Operation[]);
const countedIds = operations
  .filter(({ security = [] }) => security.some((scheme) => 'bearer' in scheme))
  .map(({ operationId }) => operationId);

describe('the label of an operation', () => {
  it('exists for every operation that a token can call, once', () => {
    const labels = countedIds.map(getOperationLabel);
    expect(countedIds.length).toBeGreaterThan(30);
    expect(labels.filter((label, index) => label === countedIds[index])).toEqual([]);
    expect(new Set(labels).size).toBe(labels.length);
  });

  it('is the one of the activity for relayed calls', () => {
    const labels = countedIds.map(getOperationLabel);
    expect(labels).toEqual(expect.arrayContaining(Object.values(METHOD_LABELS)));
  });

  it.each(['listNotes', 'constructor'])('is the ID of the unknown operation %s', (id) => {
    expect(getOperationLabel(id)).toBe(id);
  });
});
