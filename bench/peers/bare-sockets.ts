import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBareGateway } from './bare-gateway';

const server = createServer();
createBareGateway(server);
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
