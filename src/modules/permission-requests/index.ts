export { PermissionDecisionsService, type PermissionChoice } from './permission-decisions.service';
export type { PermissionDecider } from './permission-request.entity';
export { contentHashConflictError, permissionNotPendingError } from './permission-requests.errors';
export * from './permission-requests.module';
export { PermissionRequestDto } from './permission-request.response.dto';
export { PermissionRequestsService } from './permission-requests.service';
