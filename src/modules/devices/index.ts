export { RECOVERY_KEY_PLATFORM, RenameDeviceDto, type DeviceDto } from './device.dto';
export { DeviceLossService } from './device-loss.service';
export * from './devices.module';
export { DevicesService } from './devices.service';
export { DeviceTokenService } from './identity/device-token.service';
export { SignInDto } from './identity/identity.dto';
export { SignInService } from './identity/sign-in.service';
export { ApprovePairingDto } from './pairing/pairing.dto';
export { PairingsService, type PendingPairing } from './pairing/pairings.service';
