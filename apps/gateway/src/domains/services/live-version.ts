/**
 * SQL: version of the service `n.id`; null if it cannot be called: deactivated, deleted or suspended, or its owner is.
 * `offset 0` keeps the planner from scanning the index of callable services with a plan made while the table was empty.
 */
export const LIVE_VERSION = `(
  select s.version from (select * from services where id = n.id offset 0) s join wallets w on w.address = s.owner
  where s.is_active and s.deleted_at is null and s.suspended_at is null and w.suspended_at is null)`
