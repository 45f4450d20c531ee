/**
 * SQL of the version of the service `n.id`; null when it cannot be called: deactivated, deleted or suspended, or its owner
 * is.
 */
export const LIVE_VERSION = `(
  select s.version from services s join wallets w on w.address = s.owner
  where s.id = n.id and s.is_active and s.deleted_at is null and s.suspended_at is null and w.suspended_at is null)`
