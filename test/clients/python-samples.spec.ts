import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describeWith } from '../support/dependencies';
import { readGuideSteps } from '../support/guide/guide-steps';
import { waitFor } from '../support/wait-for';
import { PythonProcess } from './support/python';

describeWith('python3')('a Python sample of the guide, after an answer that is cut off and one of a proxy,', () => {
  let server: Server;
  let url: string;
  let requests: IncomingHttpHeaders[];
  let answer: (response: ServerResponse) => void;

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push(request.headers);
      request.resume().once('end', () => answer(response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => (requests = []));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Starts the sample of a page that contains this text, with shorter pauses. */
  function start(page: string, part: string): PythonProcess {
    const blocks = readGuideSteps(page, url).flatMap((step) => step.blocks);
    const { code } = blocks.find((block) => block.language === 'python' && block.code.includes(part))!;
    const env = { HOST_URL: url, TOKEN: 'x', MACHINE: 'mch_1' };
    return new PythonProcess(code.replace('time.sleep(5)', 'time.sleep(0.1)').replace('2**attempt', '0.1'), env);
  }

  /** Answers as a proxy that does not reach the service. */
  const answerAsProxy = (response: ServerResponse): void =>
    void response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');

  it('resumes an event stream after its last event', async () => {
    answer = (response) => {
      if (requests.length === 2) return answerAsProxy(response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const event = 'id: c1\nevent: turn.ended\ndata: {"type":"turn.ended","data":{}}\n\n';
      response.write(event, () => response.destroy());
    };
    const sample = start('event-streams', 'Last-Event-ID');
    await waitFor(() => expect(requests[2]).toMatchObject({ 'last-event-id': 'c1' }), 20_000);
    expect((await sample.stop()).stderr).toBe('');
  });

  it('repeats a relayed call with its key', async () => {
    answer = (response) => {
      if (requests.length === 2) return answerAsProxy(response);
      const body = JSON.stringify({ result: { stdout: 'Linux' } });
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      if (requests.length > 2) response.end(body);
      else response.write(body.slice(0, 9), () => response.destroy());
    };
    const { code, stdout, stderr } = await start('relay', 'call_with_retries').exited;
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'Linux\n', stderr: '' });
    const keys = requests.map((headers) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[\da-f]{32}$/), keys[0], keys[0]]);
  });
});
