-- SPDX-License-Identifier: GPL-2.0
--
-- Wireshark's dissector for captures of a fabric's monitor interface (NAMEmon).
--	wireshark -X lua_script:hypercube.lua hc0.pcap
-- or copy this file to the folder of personal Lua plugins (Help, About, Folders).
-- The format is described in Documentation/networking/hypercube.rst.

local proto = Proto('hypercube', 'Hypercube')

local ETHERTYPE = 0x88b5
local MON = 8
local HEADER = 96
local NONE = 0xffff

local types = {
	[1] = 'TEST', [2] = 'FAULT', [3] = 'DATA', [4] = 'DONE', [5] = 'END', [6] = 'CREDIT',
	[7] = 'ASK', [8] = 'TELL', [9] = 'DGRAM', [10] = 'ETH', [11] = 'STATE', [12] = 'PROBE',
}
local DATA, DONE, END, CREDIT, TELL, DGRAM, ETH, STATE = 3, 4, 5, 6, 8, 9, 10, 11
local opers = {
	[1] = 'sum', [2] = 'prod', [3] = 'min', [4] = 'max', [5] = 'and', [6] = 'or', [7] = 'xor',
	[8] = 'minloc', [9] = 'maxloc', [10] = 'merge',
}
local dtypes = {
	[1] = 'u8', [2] = 'u16', [3] = 'u32', [4] = 'u64', [5] = 'i8', [6] = 'i16', [7] = 'i32',
	[8] = 'i64', [9] = 'f32', [10] = 'f64', [11] = 'record',
}
local collectives = { [1] = 'reduce', [2] = 'bcast', [3] = 'allreduce', [4] = 'barrier',
	[5] = 'gather', [6] = 'scatter' }

local f = {
	-- of the monitor
	mon_version = ProtoField.uint8('hypercube.mon.version', 'Monitor version'),
	dim = ProtoField.uint8('hypercube.dim', 'Dimension of the link'),
	mon_flags = ProtoField.uint8('hypercube.mon.flags', 'Monitor flags', base.HEX),
	rises = ProtoField.bool('hypercube.rises', 'To the node whose bit is set', 8, nil, 0x01),
	mon_step = ProtoField.uint32('hypercube.mon.step', 'Step'),
	from = ProtoField.uint16('hypercube.from', 'Sending end'),
	to = ProtoField.uint16('hypercube.to', 'Receiving end'),
	-- the header
	version = ProtoField.uint8('hypercube.version', 'Version'),
	type = ProtoField.uint8('hypercube.type', 'Type', base.DEC, types),
	flags = ProtoField.uint8('hypercube.flags', 'Flags', base.HEX),
	routed = ProtoField.bool('hypercube.flags.routed', 'Routed', 8, nil, 0x01),
	back = ProtoField.bool('hypercube.flags.back', 'Came back from a dead end', 8, nil, 0x02),
	last = ProtoField.bool('hypercube.flags.last', 'Last segment', 8, nil, 0x04),
	notify = ProtoField.bool('hypercube.flags.notify', 'Somebody waits for DONE', 8, nil, 0x08),
	part = ProtoField.bool('hypercube.flags.part', 'Part of a blocked sender', 8, nil, 0x10),
	want = ProtoField.bool('hypercube.flags.want', 'The sender wants the result', 8, nil, 0x20),
	down = ProtoField.bool('hypercube.flags.down', 'Away from the root', 8, nil, 0x40),
	flood = ProtoField.bool('hypercube.flags.flood', 'To everybody', 8, nil, 0x20),
	sync = ProtoField.bool('hypercube.flags.sync', 'Answer with all you know', 8, nil, 0x40),
	fabric = ProtoField.uint32('hypercube.fabric', 'Fabric'),
	src = ProtoField.uint16('hypercube.src', 'Source'),
	dst = ProtoField.uint16('hypercube.dst', 'Destination'),
	seq = ProtoField.uint32('hypercube.seq', 'Sequence number on the link'),
	plan = ProtoField.uint32('hypercube.plan', 'Plan'),
	epoch = ProtoField.uint32('hypercube.epoch', 'Epoch'),
	op = ProtoField.uint64('hypercube.op', 'Operation'),
	offset = ProtoField.uint64('hypercube.offset', 'Offset'),
	total = ProtoField.uint64('hypercube.total', 'Total length'),
	len = ProtoField.uint32('hypercube.len', 'Payload length'),
	step = ProtoField.uint32('hypercube.step', 'Step'),
	time = ProtoField.uint64('hypercube.time', 'Modelled time (ns)'),
	oper = ProtoField.uint8('hypercube.oper', 'Operator', base.DEC, opers),
	dtype = ProtoField.uint8('hypercube.dtype', 'Data type', base.DEC, dtypes),
	width = ProtoField.uint16('hypercube.width', 'Record width'),
	stage = ProtoField.uint8('hypercube.stage', 'Stage'),
	origin = ProtoField.uint16('hypercube.origin', 'Node of the block', base.DEC),
	collective = ProtoField.uint8('hypercube.collective', 'Collective', base.DEC, collectives),
	turn = ProtoField.uint16('hypercube.turn', 'Steps since the root'),
	walk = ProtoField.uint16('hypercube.walk', 'Links walked'),
	cost = ProtoField.bytes('hypercube.cost', 'Steps of each stage'),
	csum = ProtoField.uint32('hypercube.csum', 'Checksum', base.HEX),
	index = ProtoField.uint32('hypercube.index', 'Number in the stream'),
	taken = ProtoField.uint32('hypercube.taken', 'Frames taken (TELL of a doubling: sent)'),
	done_failed = ProtoField.uint64('hypercube.done.failed', 'First of those that failed'),
	done_nfailed = ProtoField.uint32('hypercube.done.nfailed', 'Operations that failed'),
	end_behind = ProtoField.uint64('hypercube.end.behind', 'First behind those that failed (0: 128 have)'),
	walk_dims = ProtoField.string('hypercube.walk.dims', 'Dimensions walked'),
	-- payloads
	payload = ProtoField.bytes('hypercube.payload', 'Payload'),
	round = ProtoField.uint32('hypercube.test.round', 'Round of DETECT'),
	fault = ProtoField.uint32('hypercube.fault.word', 'FAULT word', base.HEX),
	status = ProtoField.uint32('hypercube.end.status', 'Errno'),
	end_node = ProtoField.uint16('hypercube.end.node', 'Node of the cause'),
	end_dim = ProtoField.uint16('hypercube.end.dim', 'Dimension of the cause'),
	end_flags = ProtoField.uint32('hypercube.end.flags', 'Flags', base.HEX),
	broken = ProtoField.bool('hypercube.end.broken', 'The plan is broken', 32, nil, 0x01),
	final = ProtoField.bool('hypercube.end.final', 'The word of the sink', 32, nil, 0x02),
	end_nfailed = ProtoField.uint32('hypercube.end.nfailed', 'Operations that had failed before'),
	end_failed = ProtoField.uint64('hypercube.end.failed', 'First of those'),
}
proto.fields = f

local bad_version = ProtoExpert.new('hypercube.bad_version', 'Unknown version',
	expert.group.UNDECODED, expert.severity.WARN)
local bad_length = ProtoExpert.new('hypercube.bad_length', 'Length does not fit the frame',
	expert.group.MALFORMED, expert.severity.ERROR)
proto.experts = { bad_version, bad_length }

local ethernet = Dissector.get('eth_withoutfcs')

-- At 14: what the monitor adds.  The ends of the link are in the MAC addresses.
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
	sub:add(f.mon_flags, buf(2, 1)):add(f.rises, buf(2, 1))
	sub:add(f.mon_step, buf(4, 4))
	sub:append_text(string.format(', %s to %s along dimension %d',
		ends.from or '?', ends.to or '?', buf(1, 1):uint()))
	return ends
end

-- Some bits mean one thing in one type of frames and another in others.
local own_flags = {
	[DATA] = { f.last, f.notify, f.part, f.want, f.down },
	[ETH] = { f.flood },
	[STATE] = { f.sync },
}

local function dissect_flags(sub, range, type)
	local flags = sub:add(f.flags, range)

	flags:add(f.routed, range)
	flags:add(f.back, range)
	for _, field in ipairs(own_flags[type] or {}) do
		flags:add(field, range)
	end
end

-- By type: what is at that position instead.
local own_fields = {
	[DONE] = { [40] = f.done_failed, [92] = f.done_nfailed },
	[END] = { [40] = f.end_behind },
	[CREDIT] = { [92] = f.taken },
	[TELL] = { [92] = f.taken },
}

-- Position, field, size: what has no tree of its own.
local layout = {
	{ 0, f.version, 1 }, { 1, f.type, 1 }, { 4, f.fabric, 4 }, { 8, f.src, 2 }, { 10, f.dst, 2 },
	{ 12, f.seq, 4 }, { 16, f.plan, 4 }, { 20, f.epoch, 4 }, { 24, f.op, 8 }, { 32, f.offset, 8 },
	{ 40, f.total, 8 }, { 48, f.len, 4 }, { 52, f.step, 4 }, { 56, f.time, 8 }, { 64, f.oper, 1 },
	{ 65, f.dtype, 1 }, { 66, f.width, 2 }, { 68, f.stage, 1 }, { 69, f.collective, 1 },
	{ 70, f.turn, 2 }, { 72, f.walk, 2 }, { 74, f.cost, 12 },
	{ 86, f.origin, 2 }, { 88, f.csum, 4 }, { 92, f.index, 4 },
}

local function dissect_header(buf, tree)
	local sub = tree:add(proto, buf(0, HEADER), 'Hypercube frame')
	local own = own_fields[buf(1, 1):uint()] or {}

	for _, at in ipairs(layout) do
		sub:add(own[at[1]] or at[2], buf(at[1], at[3]))
		if at[1] == 1 then
			dissect_flags(sub, buf(2, 1), buf(1, 1):uint())
		end
	end
	return sub
end

-- Four bits for each dimension; the room for them grows by 16 bytes.
local function dissect_walk(buf, n, tree)
	local area = math.floor((n + 31) / 32) * 16
	local dims = {}

	if area == 0 or buf:len() < area then
		return 0
	end
	for i = 0, n - 1 do
		local byte = buf(math.floor(i / 2), 1):uint()

		dims[#dims + 1] = i % 2 == 1 and byte % 16 or math.floor(byte / 16)
	end
	tree:add(f.walk_dims, buf(0, area), table.concat(dims, ','))
	return area
end

local function dissect_end(buf, tree)
	tree:add(f.status, buf(0, 4))
	if buf(4, 2):uint() ~= NONE then
		tree:add(f.end_node, buf(4, 2))
	end
	if buf(6, 2):uint() ~= NONE then
		tree:add(f.end_dim, buf(6, 2))
	end
	local flags = tree:add(f.end_flags, buf(8, 4))

	flags:add(f.broken, buf(8, 4))
	flags:add(f.final, buf(8, 4))
	-- Old captures end here.
	if buf:len() >= 24 then
		tree:add(f.end_nfailed, buf(12, 4))
		tree:add(f.end_failed, buf(16, 8))
	end
end

local function dissect_payload(type, buf, pinfo, tree)
	if buf:len() == 0 then
		return
	elseif type == 1 and buf:len() >= 4 then
		tree:add(f.round, buf(0, 4))
	elseif type == 2 and buf:len() >= 4 then
		tree:add(f.fault, buf(0, 4))
	elseif type == END and buf:len() >= 12 then
		dissect_end(buf, tree)
	elseif type == ETH then
		ethernet:call(buf, pinfo, tree)
	else
		tree:add(f.payload, buf(0))
	end
end

local function summary(type, hdr)
	local words = { types[type] or ('type ' .. type) }

	if type >= DATA and type < DGRAM then
		words[#words + 1] = string.format('plan %d op %s', hdr(16, 4):uint(),
			tostring(hdr(24, 8):uint64()))
	end
	if type == DATA then
		local from = hdr(32, 8):uint64()

		local what = collectives[hdr(69, 1):uint()] or '?'

		if hdr(64, 1):uint() ~= 0 then
			what = string.format('%s %s %s', what, opers[hdr(64, 1):uint()] or '?',
				dtypes[hdr(65, 1):uint()] or '?')
		end
		words[#words + 1] = string.format('%sstage %d %s [%s, +%d)',
			hdr(2, 1):uint() % 128 >= 64 and 'down ' or '', hdr(68, 1):uint(), what,
			tostring(from), hdr(48, 4):uint())
	end
	if hdr(2, 1):uint() % 2 == 1 then
		words[#words + 1] = string.format('routed %d to %d', hdr(8, 2):uint(), hdr(10, 2):uint())
	end
	words[#words + 1] = string.format('step %d', hdr(52, 4):uint())
	return table.concat(words, ' ')
end

function proto.dissector(buf, pinfo, tree)
	if buf:len() < MON + HEADER then
		return 0
	end
	local ends = dissect_mon(buf, pinfo, tree)
	local hdr = buf(MON, HEADER)
	local sub = dissect_header(hdr, tree)
	local type = hdr(1, 1):uint()
	local text = summary(type, hdr)
	local rest = buf(MON + HEADER):tvb()

	pinfo.cols.protocol = 'HYPERCUBE'
	text = string.format('%s > %s (dim %d) %s', ends.from or '?', ends.to or '?',
		buf(1, 1):uint(), text)
	pinfo.cols.info = text
	sub:append_text(': ' .. text)
	if hdr(0, 1):uint() ~= 1 then
		sub:add_proto_expert_info(bad_version)
		return buf:len()
	end
	local area = dissect_walk(rest, hdr(72, 2):uint(), sub)

	-- Short captures have less than .len, never more.
	if rest:reported_len() ~= area + hdr(48, 4):uint() then
		sub:add_proto_expert_info(bad_length)
	end
	if rest:len() > area then
		dissect_payload(type, rest(area):tvb(), pinfo, sub)
		-- The dissectors of what an Ethernet frame carries have their own words.
		if type == ETH then
			pinfo.cols.info:prepend(text .. ': ')
		end
	end
	return buf:len()
end

DissectorTable.get('ethertype'):add(ETHERTYPE, proto)
