-- Makes a statement that writes many rows fail, and all that it wrote with it, when it touched other numbers of rows
-- than were decided.
create function expect_counts(written bigint[], decided bigint[], what text[]) returns void language plpgsql as $$
begin
  if written is distinct from decided then
    for i in 1 .. cardinality(what) loop
      if written[i] is distinct from decided[i] then
        raise exception '%: % rows written, % decided', what[i], written[i], decided[i];
      end if;
    end loop;
    raise exception 'what was decided does not fit what was written';
  end if;
end $$;
