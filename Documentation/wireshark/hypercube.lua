-- SPDX-License-Identifier: GPL-2.0
--
-- Wireshark's dissector for captures of a fabric's monitor interface (NAMEmon).
--	wireshark -X lua_script:hypercube.lua hc0.pcap
-- or copy this file to the folder of personal Lua plugins (Help, About, Folders).
-- The format is described in Documentation/networking/wire-format.rst.

local proto = Proto('hypercube', 'Hypercube')

local ETHERTYPE = 0x88b5
local MON = 8
local HEADER = 40
local VERSION = 5
local NONE = 0xffff

local types = {
	[1] = 'TEST', [2] = 'FAULT', [3] = 'DATA', [4] = 'ACK', [5] = 'END', [6] = 'CREDIT',
	[7] = 'PROBE', [8] = 'DGRAM', [9] = 'ETH', [10] = 'LSA', [11] = 'PATH', [12] = 'REPAIR',
	[13] = 'COPY', [14] = 'TASK', [15] = 'ROUND', [16] = 'STOP',
}
local TEST, FAULT, DATA, ACK, END, CREDIT, PROBE, ETH, LSA = 1, 2, 3, 4, 5, 6, 7, 9, 10
local REPAIR, COPY, TASK, ROUND, STOP = 12, 13, 14, 15, 16
local repairs = {
	[1] = 'request', [2] = 'ask', [3] = 'assign', [4] = 'commit', [5] = 'answer', [6] = 'assigned', [7] = 'committed', [8] = 'no',
	[9] = 'none',
}
local ASSIGN, ANSWER = 3, 5
local opers = {
	[1] = 'sum', [2] = 'prod', [3] = 'min', [4] = 'max', [5] = 'and', [6] = 'or', [7] = 'xor',
	[8] = 'minloc', [9] = 'maxloc', [10] = 'merge',
}
local dtypes = {
	[1] = 'u8', [2] = 'u16', [3] = 'u32', [4] = 'u64', [5] = 'i8', [6] = 'i16', [7] = 'i32',
	[8] = 'i64', [9] = 'f32', [10] = 'f64', [11] = 'record', [12] = 'f16', [13] = 'bf16',
}
local collectives = { [1] = 'reduce', [2] = 'bcast', [3] = 'allreduce', [4] = 'barrier',
	[5] = 'gather', [6] = 'scatter', [7] = 'allgather', [8] = 'alltoall', [9] = 'reduce_scatter' }

local f = {
	-- fields of struct hc_wire_mon, which the monitor interface adds
	mon_version = ProtoField.uint8('hypercube.mon.version', 'Monitor version'),
	dim = ProtoField.uint8('hypercube.dim', 'Dimension of the link'),
	mon_flags = ProtoField.uint8('hypercube.mon.flags', 'Monitor flags', base.HEX),
	rises = ProtoField.bool('hypercube.rises', 'To the higher node', 8, nil, 0x01),
	replayed = ProtoField.bool('hypercube.replayed', 'Arrives after attempts in vain', 8, nil, 0x02),
	mon_step = ProtoField.uint32('hypercube.mon.step', 'Step'),
	from = ProtoField.uint16('hypercube.from', 'Sending end'),
	to = ProtoField.uint16('hypercube.to', 'Receiving end'),
	-- fields of the header that all frames share
	version = ProtoField.uint8('hypercube.version', 'Version'),
	type = ProtoField.uint8('hypercube.type', 'Type', base.DEC, types),
	flags = ProtoField.uint8('hypercube.flags', 'Flags', base.HEX),
	routed = ProtoField.bool('hypercube.flags.routed', 'Routed', 8, nil, 0x01),
	back = ProtoField.bool('hypercube.flags.back', 'Came back from a dead end', 8, nil, 0x02),
	fixed = ProtoField.bool('hypercube.flags.fixed', 'The walk is all of the way', 8, nil, 0x08),
	flood = ProtoField.bool('hypercube.flags.flood', 'To everybody', 8, nil, 0x04),
	fabric = ProtoField.uint32('hypercube.fabric', 'Fabric'),
	src = ProtoField.uint16('hypercube.src', 'Source'),
	dst = ProtoField.uint16('hypercube.dst', 'Destination'),
	seq = ProtoField.uint32('hypercube.seq', 'Sequence number on the link'),
	len = ProtoField.uint32('hypercube.len', 'Payload length'),
	walk = ProtoField.uint16('hypercube.walk', 'Links walked (FIXED: of the way, and 8)'),
	way_nr = ProtoField.uint32('hypercube.way.nr', 'Number on the detour'),
	way_hop = ProtoField.uint16('hypercube.way.hop', 'Links of the way walked'),
	csum = ProtoField.uint32('hypercube.csum', 'Checksum', base.HEX),
	step = ProtoField.uint32('hypercube.step', 'Step'),
	time = ProtoField.uint64('hypercube.time', 'Modelled time (ns)'),
	-- fields of the routing header
	walk_dims = ProtoField.string('hypercube.walk.dims', 'Dimensions walked'),
	flood_tree = ProtoField.uint32('hypercube.flood.tree', 'Tree (0: over all links)', base.HEX),
	flood_nr = ProtoField.uint32('hypercube.flood.nr', 'Number among those of its origin'),
	-- fields of the headers of frame types
	round = ProtoField.uint32('hypercube.test.round', 'Round of DETECT'),
	test_flags = ProtoField.uint32('hypercube.test.flags', 'Flags', base.HEX),
	test_ask = ProtoField.bool('hypercube.test.ask', 'To be sent back', 32, nil, 0x01),
	fault = ProtoField.uint32('hypercube.fault.word', 'FAULT word', base.HEX),
	fault_announced = ProtoField.uint16('hypercube.fault.announced', 'Number of the word'),
	fault_acked = ProtoField.uint16('hypercube.fault.acked', 'Number acknowledged'),
	lsa_flags = ProtoField.uint8('hypercube.lsa.flags', 'Flags', base.HEX),
	sync = ProtoField.bool('hypercube.lsa.sync', 'Answer with all you know', 8, nil, 0x01),
	plan = ProtoField.uint32('hypercube.plan', 'Plan'),
	epoch = ProtoField.uint32('hypercube.epoch', 'Epoch'),
	op = ProtoField.uint64('hypercube.op', 'Operation'),
	offset = ProtoField.uint64('hypercube.offset', 'Offset'),
	total = ProtoField.uint64('hypercube.total', 'Total length'),
	index = ProtoField.uint32('hypercube.index', 'Number in the stream'),
	width = ProtoField.uint16('hypercube.width', 'Record width'),
	oper = ProtoField.uint8('hypercube.oper', 'Operator', base.DEC, opers),
	dtype = ProtoField.uint8('hypercube.dtype', 'Data type', base.DEC, dtypes),
	collective = ProtoField.uint8('hypercube.collective', 'Collective', base.DEC, collectives),
	stage = ProtoField.uint8('hypercube.stage', 'Stage'),
	data_flags = ProtoField.uint8('hypercube.data.flags', 'Flags', base.HEX),
	last = ProtoField.bool('hypercube.data.last', 'Last segment', 8, nil, 0x01),
	notify = ProtoField.bool('hypercube.data.notify', 'Somebody waits for ACK', 8, nil, 0x02),
	part = ProtoField.bool('hypercube.data.part', 'Part of a blocked sender', 8, nil, 0x04),
	want = ProtoField.bool('hypercube.data.want', 'The sender wants the result', 8, nil, 0x08),
	down = ProtoField.bool('hypercube.data.down', 'Away from the root', 8, nil, 0x10),
	seen = ProtoField.bool('hypercube.data.seen', 'All beyond have what came', 8, nil, 0x20),
	both = ProtoField.bool('hypercube.data.both', 'Goes half of the ring, and another one the other way', 8, nil, 0x40),
	turn = ProtoField.uint16('hypercube.turn', 'Steps since the root'),
	block = ProtoField.uint16('hypercube.block', 'Node of the block'),
	gen = ProtoField.uint32('hypercube.gen', 'Generation'),
	cost = ProtoField.bytes('hypercube.cost', 'Steps of each stage'),
	ack_steps = ProtoField.uint32('hypercube.ack.steps', 'Steps of the last one'),
	status = ProtoField.uint32('hypercube.end.status', 'Errno'),
	end_node = ProtoField.uint16('hypercube.end.node', 'Node of the cause'),
	end_dim = ProtoField.uint16('hypercube.end.dim', 'Dimension of the cause'),
	end_flags = ProtoField.uint32('hypercube.end.flags', 'Flags', base.HEX),
	end_over = ProtoField.bool('hypercube.end.over', 'Nothing comes after it', 32, nil, 0x01),
	end_soft = ProtoField.bool('hypercube.end.soft', 'Only if another one gives a part', 32, nil, 0x04),
	end_idle = ProtoField.bool('hypercube.end.idle', 'Only if another one has given a part', 32, nil, 0x08),
	end_away = ProtoField.bool('hypercube.end.away', 'The sender takes nothing more', 32, nil, 0x10),
	end_unbegun = ProtoField.bool('hypercube.end.unbegun', 'The root has given nothing of it', 32, nil, 0x02),
	taken = ProtoField.uint32('hypercube.taken', 'Frames taken'),
	repair_attempt = ProtoField.uint64('hypercube.repair.attempt', 'Attempt'),
	repair_master = ProtoField.uint16('hypercube.repair.master', 'Its master'),
	repair_word = ProtoField.uint32('hypercube.repair.word', 'FAULT word', base.HEX),
	repair_members = ProtoField.uint32('hypercube.repair.members', 'Members'),
	repair_status = ProtoField.uint32('hypercube.repair.status', 'Errno'),
	repair_node = ProtoField.uint16('hypercube.repair.node', 'Node of the cause'),
	repair_dim = ProtoField.uint16('hypercube.repair.dim', 'Dimension of the cause'),
	repair_what = ProtoField.uint8('hypercube.repair.what', 'What is said', base.DEC, repairs),
	repair_ways = ProtoField.uint8('hypercube.repair.ways', 'Ways'),
	repair_rings = ProtoField.uint16('hypercube.repair.rings', 'Rings that the member is in'),
	repair_tour = ProtoField.uint16('hypercube.repair.tour', 'Links of all rings'),
	repair_flags = ProtoField.uint8('hypercube.repair.flags', 'Flags', base.HEX),
	repair_prev = ProtoField.bool('hypercube.repair.back', 'It can go back', 8, nil, 0x01),
	repair_unfit = ProtoField.bool('hypercube.repair.unfit', 'What is under way cannot go on', 8, nil, 0x02),
	repair_resume = ProtoField.bool('hypercube.repair.resume', 'What is under way goes on', 8, nil, 0x04),
	repair_waits = ProtoField.bool('hypercube.repair.waits', 'It has answered, and waits', 8, nil, 0x08),
	repair_ran = ProtoField.uint64('hypercube.repair.ran', 'Last attempt in which data went', base.HEX),
	repair_placed = ProtoField.uint64('hypercube.repair.placed', 'Last attempt that gave a place', base.HEX),
	repair_nr = ProtoField.uint64('hypercube.repair.nr', 'Operation at hand, as processes are told'),
	repair_offset = ProtoField.uint64('hypercube.repair.offset', 'Offset of its slice'),
	repair_prev_nr = ProtoField.uint64('hypercube.repair.prev_nr', 'Operation of the slice before'),
	repair_prev_offset = ProtoField.uint64('hypercube.repair.prev_offset', 'Offset of that slice'),
	repair_fresh = ProtoField.uint64('hypercube.repair.fresh', 'First operation that nobody has begun'),
	way_seen = ProtoField.uint32('hypercube.way.seen', 'Words SEEN that will come'),
	way_next = ProtoField.uint16('hypercube.way.next', 'Next member of the ring'),
	way_came = ProtoField.uint16('hypercube.way.came', 'Comes by the link at'),
	way_leaves = ProtoField.uint16('hypercube.way.leaves', 'Leaves by the link at'),
	way_dim = ProtoField.uint8('hypercube.way.dim', 'From the neighbour along dimension'),
	way_out = ProtoField.uint8('hypercube.way.out', 'On by way'),
	way_flags = ProtoField.uint8('hypercube.way.flags', 'Flags', base.HEX),
	way_used = ProtoField.bool('hypercube.way.used', 'Something comes from there', 8, nil, 0x01),
	way_relay = ProtoField.bool('hypercube.way.relay', 'It only passes by', 8, nil, 0x02),
	repair_set = ProtoField.string('hypercube.repair.set', 'Members'),
	probe_flags = ProtoField.uint32('hypercube.probe.flags', 'Flags'),
	probe_answer = ProtoField.bool('hypercube.probe.answer', 'It answers one', 32, nil, 0x01),
	probe_no_plan = ProtoField.bool('hypercube.probe.no_plan', 'The sender does not have the plan', 32, nil, 0x02),
	task_move = ProtoField.uint64('hypercube.task.move', 'Number of the handover, copy or word'),
	task_nr = ProtoField.uint64('hypercube.task.nr', 'Number of the task'),
	task_offset = ProtoField.uint32('hypercube.task.offset', 'Position in the task'),
	task_total = ProtoField.uint32('hypercube.task.total', 'Length of the task'),
	task_origin = ProtoField.uint16('hypercube.task.origin', 'Node where it was put'),
	task_flags = ProtoField.uint8('hypercube.task.flags', 'Flags of the task', base.HEX),
	task_what = ProtoField.uint8('hypercube.task.what', 'What is said of it', base.DEC,
		{ [1] = 'segment', [2] = 'taken', [3] = 'not taken', [4] = 'which?',
		[5] = 'segment of a copy', [6] = 'kept', [7] = 'not kept', [8] = 'drop', [9] = 'dropped', [10] = 'lost',
		[11] = 'of another life' }),
	task_life = ProtoField.uint32('hypercube.task.life', 'For the life', base.HEX),
	task_drop = ProtoField.uint64('hypercube.task.drop', 'Copy that is not needed'),
	task_lost_sent = ProtoField.uint64('hypercube.task.lost.sent', 'Lost: tasks whose copies were sent, up to'),
	task_lost_gave = ProtoField.uint64('hypercube.task.lost.gave', 'Lost: copies of what was handed over, up to'),
	task_lost_taken = ProtoField.uint64('hypercube.task.lost.taken', 'Lost: tasks that were taken, up to'),
	task_lost_kept = ProtoField.uint64('hypercube.task.lost.kept', 'Lost: copies that were kept, up to'),
	task_lost_known = ProtoField.uint32('hypercube.task.lost.known', 'Which of these are known', base.HEX),
	round_id = ProtoField.uint64('hypercube.round.id', 'Number of the round, and its node', base.HEX),
	round_moved = ProtoField.uint64('hypercube.round.moved', 'Tasks times links reported'),
	round_status = ProtoField.uint32('hypercube.round.status', 'Errno'),
	round_members = ProtoField.uint32('hypercube.round.members', 'Nodes reported'),
	round_node = ProtoField.uint16('hypercube.round.node', 'Node of the cause'),
	round_dim = ProtoField.uint16('hypercube.round.dim', 'Dimension of the cause'),
	round_method = ProtoField.uint8('hypercube.round.method', 'Method', base.DEC, { [1] = 'dem', [2] = 'mcwa', [3] = 'cwa', [4] = 'rid' }),
	round_flags = ProtoField.uint8('hypercube.round.flags', 'Flags', base.HEX),
	round_parent = ProtoField.bool('hypercube.round.parent', 'Heard of from the receiver', 8, nil, 0x01),
	round_report = ProtoField.bool('hypercube.round.report', 'All below have done their part', 8, nil, 0x02),
	round_over = ProtoField.bool('hypercube.round.over', 'It is over', 8, nil, 0x04),
	round_failed = ProtoField.bool('hypercube.round.failed', 'It has failed', 8, nil, 0x08),
	round_out = ProtoField.bool('hypercube.round.out', 'Not over this link', 8, nil, 0x10),
	copy_nr = ProtoField.uint64('hypercube.copy.nr', 'Number of the datagram'),
	copies = ProtoField.uint8('hypercube.copy.copies', 'Copies'),
	copy = ProtoField.uint8('hypercube.copy.copy', 'Number of the copy'),
	hop = ProtoField.uint8('hypercube.copy.hop', 'Links of its path crossed'),
	paths_len = ProtoField.uint16('hypercube.copy.paths_len', 'Length of the paths'),
	copy_path = ProtoField.string('hypercube.copy.path', 'Dimensions of a path'),
	-- the payload
	payload = ProtoField.bytes('hypercube.payload', 'Payload'),
}
proto.fields = f

local bad_version = ProtoExpert.new('hypercube.bad_version', 'Unknown version',
	expert.group.UNDECODED, expert.severity.WARN)
local bad_length = ProtoExpert.new('hypercube.bad_length', 'Length does not fit the frame',
	expert.group.MALFORMED, expert.severity.ERROR)
proto.experts = { bad_version, bad_length }

proto.prefs.every_hop = Pref.bool('Show Ethernet frames at every hop', false,
	'Show what is inside an Ethernet frame on each link that it takes, not only where it arrives')

local ethernet = Dissector.get('eth_withoutfcs')

-- For each flooded frame, identified by fabric, source and number, its first frame in the capture.
local flooded = {}

function proto.init()
	flooded = {}
end

-- Dissects struct hc_wire_mon at offset 14.  The MAC addresses before it have the ends of the link.
local function dissect_mon(buf, pinfo, tree)
	local sub = tree:add(proto, buf(0, MON), 'Hypercube link')
	local from = buf:range(0, 0)
	local ends = { from = nil, to = nil }
	local dst, src = tostring(pinfo.dl_dst), tostring(pinfo.dl_src)

	ends.to = tonumber((dst:gsub(':', '')):sub(9), 16)
	ends.from = tonumber((src:gsub(':', '')):sub(9), 16)
	if ends.from and ends.to then
		sub:add(f.from, from, ends.from):set_generated()
		sub:add(f.to, from, ends.to):set_generated()
	end
	if buf(0, 1):uint() ~= 1 then
		sub:add_proto_expert_info(bad_version)
	end
	sub:add(f.mon_version, buf(0, 1))
	sub:add(f.dim, buf(1, 1))
	local flags = sub:add(f.mon_flags, buf(2, 1))
	flags:add(f.rises, buf(2, 1))
	flags:add(f.replayed, buf(2, 1))
	sub:add(f.mon_step, buf(4, 4))
	sub:append_text(string.format(', %s to %s along dimension %d',
		ends.from or '?', ends.to or '?', buf(1, 1):uint()))
	return ends
end

-- The rows of a header: position, field, size, and the fields of its bits.
local header = {
	{ 0, f.version, 1 }, { 1, f.type, 1 }, { 2, f.flags, 1, { f.routed, f.back, f.flood, f.fixed } },
	{ 4, f.fabric, 4 }, { 8, f.src, 2 }, { 10, f.dst, 2 }, { 12, f.seq, 4 }, { 16, f.len, 4 },
	{ 20, f.walk, 2 }, { 22, f.way_hop, 2 }, { 24, f.csum, 4 }, { 28, f.step, 4 }, { 32, f.time, 8 },
}

-- The same for the header of each type, with its length. Headers with .plan begin with the rows of "plan".
local plan = { { 0, f.plan, 4 }, { 4, f.epoch, 4 }, { 8, f.op, 8 } }
local parts = {
	[TEST] = { len = 8, { 0, f.round, 4 }, { 4, f.test_flags, 4, { f.test_ask } } },
	[FAULT] = { len = 8, { 0, f.fault, 4 }, { 4, f.fault_announced, 2 }, { 6, f.fault_acked, 2 } },
	[DATA] = { len = 64, plan = true, { 16, f.offset, 8 }, { 24, f.total, 8 }, { 32, f.index, 4 },
		{ 36, f.width, 2 }, { 38, f.oper, 1 }, { 39, f.dtype, 1 }, { 40, f.collective, 1 },
		{ 41, f.stage, 1 }, { 42, f.data_flags, 1, { f.last, f.notify, f.part, f.want, f.down, f.seen, f.both } },
		{ 44, f.turn, 2 }, { 46, f.block, 2 }, { 48, f.gen, 4 }, { 52, f.cost, 12 } },
	[ACK] = { len = 24, plan = true, { 16, f.ack_steps, 4 }, { 20, f.gen, 4 } },
	[END] = { len = 32, plan = true, { 16, f.gen, 4 }, { 20, f.status, 4 }, { 24, f.end_node, 2 }, { 26, f.end_dim, 2 },
		{ 28, f.end_flags, 4, { f.end_over, f.end_unbegun } } },
	[STOP] = { len = 32, plan = true, { 16, f.gen, 4 }, { 20, f.status, 4 }, { 24, f.end_node, 2 }, { 26, f.end_dim, 2 },
		{ 28, f.end_flags, 4, { f.end_over, f.end_soft, f.end_idle, f.end_away } } },
	[CREDIT] = { len = 24, plan = true, { 16, f.taken, 4 }, { 20, f.gen, 4 } },
	[PROBE] = { len = 24, plan = true, { 16, f.probe_flags, 4, { f.probe_answer, f.probe_no_plan } } },
	[LSA] = { len = 8, { 0, f.lsa_flags, 1, { f.sync } } },
	-- The first six bytes of a ballot are the number of the attempt, the last two are the coordinator.
	[REPAIR] = { len = 48, plan = true, { 16, f.repair_attempt, 6 }, { 22, f.repair_master, 2 }, { 24, f.repair_word, 4 },
		{ 28, f.repair_members, 4 }, { 32, f.repair_status, 4 }, { 36, f.repair_node, 2 }, { 38, f.repair_dim, 2 },
		{ 40, f.repair_what, 1 }, { 41, f.repair_ways, 1 }, { 42, f.repair_rings, 2 },
		{ 44, f.repair_flags, 1, { f.repair_prev, f.repair_unfit, f.repair_resume, f.repair_waits } },
		{ 46, f.repair_tour, 2 } },
	[COPY] = { len = 16, { 0, f.copy_nr, 8 }, { 8, f.copies, 1 }, { 9, f.copy, 1 }, { 10, f.hop, 1 },
		{ 12, f.paths_len, 2 } },
	[TASK] = { len = 32, { 0, f.task_move, 8 }, { 8, f.task_nr, 8 }, { 16, f.task_offset, 4 },
		{ 20, f.task_total, 4 }, { 24, f.task_origin, 2 }, { 26, f.task_flags, 1 }, { 27, f.task_what, 1 },
		{ 28, f.task_life, 4 } },
	[ROUND] = { len = 32, { 0, f.round_id, 8 }, { 8, f.round_moved, 8 }, { 16, f.round_status, 4 },
		{ 20, f.round_members, 4 }, { 24, f.round_node, 2 }, { 26, f.round_dim, 2 }, { 28, f.round_method, 1 },
		{ 29, f.round_flags, 1, { f.round_parent, f.round_report, f.round_over,
			f.round_failed, f.round_out } } },
}

-- These fields are left out if they have no value: the node and the dimension of a cause.
local optional = { [f.end_node] = true, [f.end_dim] = true, [f.round_node] = true, [f.round_dim] = true,
	[f.repair_node] = true, [f.repair_dim] = true }

local function dissect_fields(buf, layout, tree)
	for _, at in ipairs(layout) do
		local range = buf(at[1], at[3])

		if not optional[at[2]] or range:uint() ~= NONE then
			local item = tree:add(at[2], range)

			for _, bit in ipairs(at[4] or {}) do
				item:add(bit, range)
			end
		end
	end
end

local function dissect_part(buf, layout, tree)
	if layout.plan then
		dissect_fields(buf, plan, tree)
	end
	dissect_fields(buf, layout, tree)
end

-- Returns the dimensions in @buf, four bits each, from index @first to @n - 1, as text.
local function dimensions(buf, first, n)
	local dims = {}

	for i = first, n - 1 do
		local byte = buf(math.floor(i / 2), 1):uint()

		dims[#dims + 1] = i % 2 == 1 and byte % 16 or math.floor(byte / 16)
	end
	return table.concat(dims, ',')
end

-- Dissects a walk of @n dimensions, which is padded to a multiple of 16 bytes. In a FIXED frame, a sequence number
-- takes the place of the first eight dimensions. Returns the length.
local function dissect_walk(buf, n, fixed, tree)
	local area = math.floor((n + 31) / 32) * 16

	if area == 0 or buf:len() < area then
		return area
	end
	if fixed then
		tree:add(f.way_nr, buf(0, 4))
	end
	tree:add(f.walk_dims, buf(0, area), dimensions(buf, fixed and 8 or 0, n))
	return area
end

-- Dissects the paths that precede the data of a copy, if they were captured. Returns their length.
local function dissect_paths(part, buf, tree)
	local area, at = part(12, 2):uint(), 0

	if buf:len() < area then
		return 0
	end
	for _ = 1, part(8, 1):uint() do
		local hops = at < area and buf(at, 1):uint() or 0
		local bytes = math.floor((hops + 1) / 2)

		if hops == 0 or at + 1 + bytes > area then
			break
		end
		tree:add(f.copy_path, buf(at, 1 + bytes), dimensions(buf(at + 1, bytes), hops))
		at = at + 1 + bytes
	end
	return area
end

-- Dissects the payload of a DROP or a LOST, which is about replicas. Returns its length.
local DROP, LOST = 8, 10
local lost = { { 0, f.task_lost_sent, 8 }, { 8, f.task_lost_gave, 8 }, { 16, f.task_lost_taken, 8 },
	{ 24, f.task_lost_kept, 8 }, { 32, f.task_lost_known, 4 } }

local function dissect_copies(part, buf, tree)
	local what, at = part(27, 1):uint(), 0

	if what == LOST and buf:len() >= 40 then
		dissect_fields(buf, lost, tree)
		return 40
	end
	while what == DROP and at + 8 <= buf:len() do
		tree:add(f.task_drop, buf(at, 8))
		at = at + 8
	end
	return at
end

-- Dissects the routing header: a walk, or struct hc_wire_flood. Returns its length.
local function dissect_way(hdr, buf, tree)
	if hdr(2, 1):uint() % 8 < 4 then
		return dissect_walk(buf, hdr(20, 2):uint(), hdr(2, 1):uint() >= 8, tree)
	end
	if buf:len() >= 8 then
		tree:add(f.flood_tree, buf(0, 4))
		tree:add(f.flood_nr, buf(4, 4))
	end
	return 8
end

-- Returns whether to dissect the inner Ethernet frame at this hop. It is shown once: at the hop where it
-- arrives, or, for a flooded frame, at the first hop in the capture.
local function shows_inside(hdr, way, ends, pinfo)
	local flags = hdr(2, 1):uint()

	if proto.prefs.every_hop then
		return true
	elseif flags % 8 >= 4 then
		local key = way:len() < 8 and '' or hdr(4, 6):bytes():tohex() .. way(0, 8):bytes():tohex()

		flooded[key] = flooded[key] or pinfo.number
		return flooded[key] == pinfo.number
	end
	return flags % 2 == 0 or hdr(10, 2):uint() == ends.to
end

-- struct hc_wire_repair_ops and struct hc_wire_repair_way, the payload of REPAIR frames.
local repair_ops = { { 0, f.repair_ran, 8 }, { 8, f.repair_placed, 8 }, { 16, f.repair_nr, 8 }, { 24, f.repair_offset, 8 },
	{ 32, f.repair_prev_nr, 8 }, { 40, f.repair_prev_offset, 8 }, { 48, f.repair_fresh, 8 } }
local repair_way = { { 0, f.way_seen, 4 }, { 4, f.way_next, 2 }, { 6, f.way_came, 2 }, { 8, f.way_leaves, 2 },
	{ 10, f.way_dim, 1 }, { 11, f.way_out, 1 }, { 12, f.way_flags, 1, { f.way_used, f.way_relay } } }
local REPAIR_OPS, REPAIR_WAY = 56, 16

-- Returns the nodes of a set as text. Bit u % 32 of word u / 32 is node u.
local function nodes_of(buf)
	local nodes = {}

	for at = 0, buf:len() - 4, 4 do
		local word = buf(at, 4):uint()

		for bit = 0, 31 do
			if math.floor(word / 2 ^ bit) % 2 == 1 then
				nodes[#nodes + 1] = 8 * at + bit
			end
		end
	end
	return table.concat(nodes, ',')
end

-- Dissects the payload of REPAIR: the state of operations, and in an ASSIGN the neighbours in the rings and the set
-- of members, as far as they were captured. Returns its length.
local function dissect_repair(part, buf, tree)
	local what = part(40, 1):uint()
	local ways = what == ASSIGN and part(41, 1):uint() or 0

	if (what ~= ASSIGN and what ~= ANSWER) or buf:len() < REPAIR_OPS + ways * REPAIR_WAY then
		return 0
	end
	dissect_fields(buf(0, REPAIR_OPS), repair_ops, tree)
	for i = 0, ways - 1 do
		local range = buf(REPAIR_OPS + i * REPAIR_WAY, REPAIR_WAY)

		dissect_fields(range, repair_way, tree:add(proto, range, 'Way ' .. i))
	end
	local at = REPAIR_OPS + ways * REPAIR_WAY

	if what == ASSIGN and buf:len() > at then
		tree:add(f.repair_set, buf(at), nodes_of(buf(at)))
		at = buf:len()
	end
	return at
end

local function dissect_payload(type, buf, inside, pinfo, tree)
	if buf:len() == 0 then
		return
	elseif type == ETH and inside then
		ethernet:call(buf, pinfo, tree)
	else
		tree:add(f.payload, buf(0))
	end
end

-- Returns a line that describes the frame. @part is the header of its type, or nil if the type has none or it was
-- not captured completely.
local function summary(type, hdr, part)
	local words = { types[type] or ('type ' .. type) }

	if part and parts[type].plan then
		words[#words + 1] = string.format('plan %d op %s', part(0, 4):uint(),
			tostring(part(8, 8):uint64()))
	end
	if part and type == DATA then
		local from = part(16, 8):uint64()
		local what = collectives[part(40, 1):uint()] or '?'

		if part(38, 1):uint() ~= 0 then
			what = string.format('%s %s %s', what, opers[part(38, 1):uint()] or '?',
				dtypes[part(39, 1):uint()] or '?')
		end
		words[#words + 1] = string.format('%sstage %d %s [%s, +%d)',
			part(42, 1):uint() % 32 >= 16 and 'down ' or '', part(41, 1):uint(), what,
			tostring(from), hdr(16, 4):uint())
	end
	if part and type == REPAIR then
		words[#words + 1] = string.format('%s attempt %s of %d', repairs[part(40, 1):uint()] or '?',
			tostring(part(16, 6):uint64()), part(22, 2):uint())
	end
	if part and type == COPY then
		words[#words + 1] = string.format('nr %s copy %d of %d hop %d from %d to %d', tostring(part(0, 8):uint64()),
			part(9, 1):uint(), part(8, 1):uint(), part(10, 1):uint(), hdr(8, 2):uint(), hdr(10, 2):uint())
	end
	if hdr(2, 1):uint() % 2 == 1 then
		words[#words + 1] = string.format('routed %d to %d', hdr(8, 2):uint(), hdr(10, 2):uint())
	end
	words[#words + 1] = string.format('step %d', hdr(28, 4):uint())
	return table.concat(words, ' ')
end

-- Dissects the part of a frame after the common header: the routing header, the header of its type, the payload.
local function dissect_rest(hdr, rest, pinfo, sub)
	local type = hdr(1, 1):uint()
	local layout = parts[type] or { len = 0 }
	local area = dissect_way(hdr, rest, sub)
	local head = area + layout.len
	local part

	-- reported_len() is the length of the frame before it was truncated by the capture.
	if rest:reported_len() ~= head + hdr(16, 4):uint() then
		sub:add_proto_expert_info(bad_length)
	end
	if layout.len > 0 and rest:len() >= head then
		part = rest(area, layout.len)
		dissect_part(part, layout, sub)
	end
	if part and type == COPY and rest:len() > head then
		head = head + dissect_paths(part, rest(head), sub)
	end
	if part and type == REPAIR and rest:len() > head then
		head = head + dissect_repair(part, rest(head), sub)
	end
	if part and type == TASK and rest:len() > head then
		head = head + dissect_copies(part, rest(head), sub)
	end
	return summary(type, hdr, part), rest:len() > head and rest(head):tvb()
end

function proto.dissector(buf, pinfo, tree)
	if buf:len() < MON + HEADER then
		return 0
	end
	local ends = dissect_mon(buf, pinfo, tree)
	local hdr = buf(MON, HEADER)
	local sub = tree:add(proto, hdr, 'Hypercube frame')
	local type = hdr(1, 1):uint()

	pinfo.cols.protocol = 'HYPERCUBE'
	if hdr(0, 1):uint() ~= VERSION then
		sub:add(f.version, hdr(0, 1))
		sub:add_proto_expert_info(bad_version)
		return buf:len()
	end
	dissect_fields(hdr, header, sub)
	local rest = buf(MON + HEADER):tvb()
	local text, payload = dissect_rest(hdr, rest, pinfo, sub)

	text = string.format('%s > %s (dim %d) %s', ends.from or '?', ends.to or '?',
		buf(1, 1):uint(), text)
	pinfo.cols.info = text
	sub:append_text(': ' .. text)
	if payload then
		local inside = type == ETH and shows_inside(hdr, rest, ends, pinfo)

		dissect_payload(type, payload, inside, pinfo, sub)
		-- The dissectors of the inner frame have set their own text.
		if inside then
			pinfo.cols.info:prepend(text .. ': ')
		end
	end
	return buf:len()
end

DissectorTable.get('ethertype'):add(ETHERTYPE, proto)
