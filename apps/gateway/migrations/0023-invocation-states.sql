-- The states of an invocation and what each may become, held by the database itself whoever writes. An invocation is
-- inserted as PENDING by a hold; ends are final. PROCESSING keeps its hold, so its row in open_calls must stay.
--
-- The condition names what nearly every call does, so that the function runs for none of these. AFTER, not BEFORE: a
-- BEFORE trigger locks each row once more before its condition is looked at.
create function check_invocation_state() returns trigger language plpgsql as $$
begin
  if (old.status, new.status) not in (
    ('PENDING', 'PROCESSING'), ('PENDING', 'SUCCEEDED'), ('PENDING', 'FAILED_RETRYABLE'), ('PENDING', 'FAILED_FINAL'),
    ('PROCESSING', 'SUCCEEDED'), ('PROCESSING', 'FAILED_FINAL'))
  then
    raise exception 'invocation % is %, and may not become %', old.id, old.status, new.status
      using errcode = 'check_violation';
  end if;
  if new.status = 'PROCESSING' and not exists (select from open_calls o where o.invocation_id = new.id) then
    raise exception 'invocation % may not become PROCESSING: it has no row in open_calls', new.id
      using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger invocations_change_state after update of status on invocations
  for each row
  when (old.status is distinct from new.status
    and not (old.status = 'PENDING' and new.status in ('SUCCEEDED', 'FAILED_RETRYABLE', 'FAILED_FINAL')))
  execute function check_invocation_state();
