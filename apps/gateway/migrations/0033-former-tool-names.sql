-- A renamed service keeps its last three names for 30 days; before, it kept every name it ever had. Null: its name of
-- now, also of one that is deleted.
alter table tool_names add column left_at timestamptz;
update tool_names n set left_at = now() from services s where s.id = n.service_id and s.agent_tool_name <> n.name;
create index tool_names_left on tool_names (service_id) where left_at is not null;
