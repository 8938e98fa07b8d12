// What Python puts into the page (review/session_data.py), as types.
interface Said { [language: string]: string }
interface ArrayNote { type: "f4" | "d4" | "u1"; shape: number[]; at: number; step?: number }
interface EventNote { time_s: number; side: string; kind: string; source_kind: string; sd_ms: number | null }
interface CycleNote {
  side: string; cycle: number; start_s: number; end_s: number; foot_off_s: number | null; kinetics_valid: string;
  used: boolean; used_by_rules: boolean; kinematics: boolean; kinetics: boolean; emg: boolean; whole_body: boolean; reasons: Said[];
}
interface StanceNote { side: string; start_s: number | null; end_s: number | null; plate: string; verdict: string; reason: Said }
interface FindingNote { rule: string; severity: string; text: Said; hint: Said; where: string; time_s: number | null }
interface GapNote { marker: string; first_frame: number; last_frame: number; method: string }
interface EnvelopeNote { label: string; muscle: string; side: string; cycle: number; unit: string; verdict: string }
/** `on`: when the muscle is on; `usual`: when healthy adults usually have it on, by each cycle's own foot off; both in seconds. */
interface RawNote {
  label: string; muscle: string; side: string; unit: string; verdict: string; first_s: number; step_s: number; on: [number, number][]; usual: [number, number][];
}
/** An OpenSim model: which of the markers it follows; of each of its points from which of them a bone leads to it, -1 for none, and that bone's side. */
interface ModelNote { markers: number[]; sides: string[]; bearers: number[] }
interface ShapeNote {
  markers: string[]; segments: string[]; joints: string[]; plates: { name: string; corners_m: number[][] }[];
  outline: { L: number; R: number }; model?: ModelNote;
}
interface TrialNote {
  name: string; kind: string; condition: string; rate_hz: number; first_frame: number; n_frames: number; verdict: string;
  progression: number[] | null; events: EventNote[]; cycles: CycleNote[]; stances: StanceNote[]; gaps: GapNote[];
  findings: FindingNote[]; columns: string[]; curves: [string, number, string, string, number][]; emg: EnvelopeNote[]; raw: RawNote[];
  shape: ShapeNote | null; block: string; arrays: Record<string, ArrayNote>;
}
interface FollowedNote {
  decision: string; trial: string; side?: string; start_s?: number | null; use?: boolean; plates?: string[] | null; kind?: string;
  what?: (string | number)[]; trials?: string[]; since?: string; time_s?: number; new_time_s?: number | null; new?: boolean; deleted?: boolean; text?: string; reason?: string; author?: string;
}
interface NormNote { movement: string; curves: [string, string][]; block: string; arrays: Record<string, ArrayNote> }
interface DeviationRow { side: string; pattern: string; size: number | null; band: number | null; within_error: string; marked: string; covered_by: string }
interface WalkWords { openings: string[]; rows: { said: string; warns: string[]; quiet: string }[]; unsayable: string; trust: string[] }
interface WalksNote { condition: string; rows: DeviationRow[]; words: Record<Language, WalkWords> }
interface SessionNote {
  folder: string;
  subject: { code: string | null; session_date: string | null; age_years: number | null; sex: string | null; mass_kg: number | null };
  model: string; kinetics: string; verdict: string; version: string; findings: FindingNote[]; failed: { file: string; error: string }[];
  decisions: FollowedNote[]; norm: NormNote | null; trials: TrialNote[]; walks: WalksNote[];
}
interface VariableNote {
  variable: string; component: string; title: string; positive: string; negative: string; unit: string; quantity: string;
  joint: string; along: "time" | "percent";
}
type Language = string;
interface PageData {
  sessions: SessionNote[]; variables: VariableNote[]; words: Record<Language, Record<string, string>>; language: Language;
  labels: Record<Language, Record<string, string>>; colours: Record<string, string>; dashes: Record<string, number[]>; scales: Record<string, number[]>; run_scales: Record<string, number[]>; laboratory: string;
}

/** What ties a film to a trial: film second = rate (1 where none stands) times recording second + offset; and where it was tied first. */
interface FilmTie { trial: string; offset_s: number; rate: number | null; tied_s: number }
/** Who holds the page: what keeps decisions over a reload (null where the holder does), whose they are, who is told of each, whether leaving has to be asked about; and films beside the
 * recordings, their ties, whether one may be chosen by hand, and who opens and ties one. */
interface Port {
  memory: Storage | null; author: string; changed: (toml: string) => void; leaving: (unsaved: boolean) => boolean;
  films: string[]; ties: Record<string, FilmTie>; byHand: boolean; openFilm: (name: string) => Promise<string>; tieFilm: (name: string, tie: FilmTie) => Promise<void>;
}

// What the page makes of it.
interface Curve { side: string; cycle: number; variable: string; component: string; values: Float32Array; sd: Float32Array | null }
/** How far a model's markers are from the measured ones: each one's error, root mean square and number of the farthest in each frame, -1 for none. */
interface MarkerErrors { labels: string[]; off_mm: Float32Array[]; rms_mm: Float32Array; farthest: Int16Array }
interface LoadedTrial {
  note: TrialNote; n: number; time_s: Float64Array; frames: Map<string, Float32Array>; curves: Curve[];
  emg: (EnvelopeNote & { values: Float32Array })[]; raw: (RawNote & { lowest: Float32Array; highest: Float32Array })[];
  arrays: Map<string, Float32Array>; errors: MarkerErrors | null;
}
type Decision =
  | { kind: "cycle"; trial: string; side: string; start_s: number; use: boolean; reason: string; author: string }
  | { kind: "stance"; trial: string; side: string; start_s: number; use: boolean; reason: string; author: string }
  | { kind: "verdict"; trial: string; side: string; start_s: number; plate: number[]; reason: string; author: string }
  | {
      kind: "event"; trial: string; side: string; event: string; time_s: number; new_time_s?: number; new?: boolean; deleted?: boolean;
      reason: string; author: string;
    }
  | { kind: "repair"; trial: string; repair: string; what: (string | number)[]; trials?: string[]; since?: string; reason: string; author: string }
  | { kind: "comment"; trial: string; time_s: number; text: string; reason: string; author: string };
interface ShownEvent { side: string; kind: string; time_s: number; was_s: number; source: string; deleted: boolean; decision: number }
