-- Answers and recorded streams are pruned once they are old. What that leaves is space for new ones only after a vacuum,
-- and the tables are the largest there are: a vacuum comes when a twentieth of their rows is dead, and not a fifth, so
-- that they stay within a twentieth of what they hold. Their out-of-line parts follow them.
alter table invocation_answers set (autovacuum_vacuum_scale_factor = 0.05);
alter table invocation_streams set (autovacuum_vacuum_scale_factor = 0.05);
