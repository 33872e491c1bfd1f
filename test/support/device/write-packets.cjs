/**
 * Preloaded into a process of the reference device: reports each packet of its sockets as a line of JSON at the file
 * descriptor 3 (reference-device-packets.ts).
 */
const net = require('node:net');
const { Socket } = require('socket.io-client');

const output = new net.Socket({ fd: 3, readable: false, writable: true });
output.on('error', () => undefined);
output.unref();

const numbers = new WeakMap();
let count = 0;

for (const method of ['packet', 'onpacket']) {
  const original = Socket.prototype[method];
  Socket.prototype[method] = function (packet) {
    if (!numbers.has(this)) numbers.set(this, count++);
    const { type, id, data } = packet;
    output.write(`${JSON.stringify({ socket: numbers.get(this), method, packet: { type, id, data } })}\n`);
    return original.call(this, packet);
  };
}
