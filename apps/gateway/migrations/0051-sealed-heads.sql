-- Where the partitions of the log ended when a seal was made (docs/proof.md): `partition`, `head` as text, and `hash` as
-- 0x and hexadecimal, in the order of the partitions. Null in the seals of before.
alter table seals add column heads jsonb check (jsonb_array_length(heads) = 16);
