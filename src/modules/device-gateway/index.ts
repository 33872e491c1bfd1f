export { DeviceGateway } from './device.gateway';
export { buildDeviceSignal, readDeviceSignal } from './live/device-signals';
export { DeviceGatewayModule } from './device-gateway.module';
