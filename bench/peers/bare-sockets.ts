import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bareGateway } from './bare-gateway';

const server = createServer();
bareGateway(server);
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
