import { throwEventViolations } from './conformance';
import { throwSocketViolations } from './device/socket-document';

// Deliveries and events of streams are held against the OpenAPI document, like every response (http-client.ts).
afterEach(throwEventViolations);
afterAll(throwEventViolations);
// So are messages that the service sends to devices, against asyncapi.json (device/device-socket.ts).
afterEach(throwSocketViolations);
afterAll(throwSocketViolations);
