//! The runs of a server by machine and label, counted there.

use bakeoff_model::machine::Machine;
use bakeoff_report::fleet::run_group::{Last, RunGroup};
use tokio_postgres::Row;

use super::read::unsigned;
use super::{ANSWER, Server};
use crate::store::machines::Unknown;
use crate::store::{Machines, RunId, StoreError};

/// A row for each role, machine and label; long text is cut, so that no board fills the memory of
/// who reads. The pair tells the run that began last, and of two that began
/// at once the one that came first.
const SEEN: &str = "WITH seen AS (
        SELECT left(hostname, 400) AS hostname, left(board_id, 400) AS board_id,
            left(model, 400) AS model, left(cpu, 400) AS cpu, cpus, left(arch, 400) AS arch,
            left(label, 400) AS label, owner::text AS role, count(*) AS runs,
            max(number) AS arrived, min(created_unix_ns) AS first_unix_ns,
            max(ARRAY[created_unix_ns, -number]) AS last
        FROM bakeoff.runs WHERE hostname IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6, 7, 8)
    SELECT s.hostname, s.board_id, s.model, s.cpu, s.cpus, s.arch, s.label, s.runs, s.arrived,
        s.first_unix_ns, r.id, r.created_unix_ns, r.number, left(r.kernel, 400), s.role
    FROM seen s JOIN bakeoff.runs r ON r.number = -s.last[2]";

impl Server {
    pub(super) fn seen(&self) -> Result<Machines, StoreError> {
        let rows = self.ask(ANSWER, self.client.query(SEEN, &[]))?;
        let known = rows.iter().map(seen).collect();
        let sql = "SELECT id, left(label, 400), number, owner::text FROM bakeoff.runs \
                   WHERE hostname IS NULL ORDER BY number DESC";
        let rows = self.ask(ANSWER, self.client.query(sql, &[]))?;
        let unknown = rows.iter().filter_map(|row| {
            let run = RunId::parse(row.get(0))?;
            Some(Unknown { run, label: row.get(1), arrived: row.get(2), role: row.get(3) })
        });
        Machines::of(self, known, unknown.collect())
    }
}

fn seen(row: &Row) -> RunGroup {
    RunGroup {
        machine: Machine {
            hostname: row.get(0),
            board_id: row.get(1),
            model: row.get(2),
            cpu: row.get(3),
            cpus: row.get::<_, Option<i64>>(4).and_then(|n| n.try_into().ok()).unwrap_or(0),
            arch: row.get::<_, Option<String>>(5).unwrap_or_default(),
            role: row.get(14),
        },
        label: row.get(6),
        runs: unsigned(row.get(7)),
        arrived: row.get(8),
        first_unix_ns: row.get(9),
        last: Last {
            run: row.get(10),
            unix_ns: row.get(11),
            arrived: row.get(12),
            kernel: row.get::<_, Option<String>>(13).unwrap_or_default(),
        },
    }
}
