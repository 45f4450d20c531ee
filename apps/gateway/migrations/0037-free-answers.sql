-- Answers of calls that cost nothing are kept for a day only. Those calls are listed here, so that finding the old ones
-- does not read the answers that are kept for longer. Calls that ended before this table was there stay as long as paid ones.
create table free_answers (
  invocation_id text primary key
);
alter table free_answers set (autovacuum_vacuum_scale_factor = 0.05);
