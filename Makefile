# barelane: builds the UEFI program, the host tests and the checks. Output goes to build/ only.
#
#   make            build/barelane.efi
#   make image      build/barelane.img, for a USB stick
#   make tools      build/barelane-pci, a program for the host
#   make unit       build and run the host tests (ASan, UBSan)
#   make check      static checks: rooms, symbols, format, scripts, clang

CC       = gcc
CLANG    = clang
OBJCOPY  = objcopy
BUILD    = build
VERSION := $(shell cat VERSION)

ROOMS := base hw pci drivers bench report
CORE  := $(sort $(foreach room,$(ROOMS),$(wildcard $(room)/*.c $(room)/*/*.c)))
EFI   := $(sort $(wildcard efi/*.c))
# Parts of efi/ without firmware types: pure functions that the host tests link too.
EFI_PURE := $(sort $(wildcard efi/pure/*.c))
# Programs for the host, and what they share.
TOOLS := $(sort $(wildcard host/barelane_*.c))
HOST  := $(filter-out $(TOOLS),$(sort $(wildcard host/*.c)))

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wcast-align -Wvla -Wundef \
	-Wwrite-strings -Wformat=2 -Wswitch-enum -Wredundant-decls
COMMON := -std=c11 -I. $(WARNINGS) -MMD -MP -DBARELANE_VERSION='"$(VERSION)"'

# --- the UEFI program -----------------------------------------------------------------------------
# The part of the flags that decides what code the rooms become.
EFI_CODE := -O2 -g -ffreestanding -fno-strict-aliasing -mno-red-zone -fpic -fno-stack-protector \
	-fvisibility=hidden -fno-tree-loop-distribute-patterns
EFI_CFLAGS := $(COMMON) $(EFI_CODE) -fshort-wchar \
	-DGNU_EFI_USE_MS_ABI -isystem /usr/include/efi -isystem /usr/include/efi/x86_64
EFI_OBJECTS := $(patsubst %.c,$(BUILD)/efi/%.o,$(CORE) $(EFI) $(EFI_PURE))
EFI_CRT := /usr/lib/crt0-efi-x86_64.o
EFI_LDS := /usr/lib/elf_x86_64_efi.lds

.PHONY: all image tools unit check clean
all: $(BUILD)/barelane.efi $(BUILD)/barelane.man tools

$(BUILD)/efi/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(EFI_CFLAGS) -c $< -o $@

# crt0 and the relocation code are gnu-efi's; nothing of its library is used.
$(BUILD)/barelane.so: $(EFI_OBJECTS)
	ld -nostdlib -znocombreloc -T $(EFI_LDS) -shared -Bsymbolic --no-undefined \
		$(EFI_CRT) $(EFI_OBJECTS) -L/usr/lib -l:libgnuefi.a -o $@

$(BUILD)/barelane.efi: $(BUILD)/barelane.so
	$(OBJCOPY) -j .text -j .sdata -j .data -j .dynamic -j .dynsym -j .rel -j .rela \
		-j '.rel.*' -j '.rela.*' -j .reloc --target efi-app-x86_64 --subsystem=10 $< $@

# The UEFI shell's own help reads a manual beside the program: UTF-16LE with a byte order mark.
$(BUILD)/barelane.man: $(wildcard efi/barelane.man.txt)
	@mkdir -p $(@D)
	{ printf '\377\376'; cat $^ /dev/null | sed 's/$$/\r/' | iconv -f UTF-8 -t UTF-16LE; } >$@

image: $(BUILD)/barelane.img
$(BUILD)/barelane.img: $(BUILD)/barelane.efi $(BUILD)/barelane.man scripts/image
	scripts/image $@

# --- programs for the host ------------------------------------------------------------------------
TOOL_CFLAGS := $(COMMON) -O2 -g -ffunction-sections -fdata-sections
TOOL_OBJECTS := $(patsubst %.c,$(BUILD)/tools/%.o,$(CORE) $(HOST))
TOOL_MAINS := $(patsubst %.c,$(BUILD)/tools/%.o,$(TOOLS))

$(BUILD)/tools/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(TOOL_CFLAGS) -c $< -o $@

# Nobody implements hw/ here: what needs it is not reached, and goes with its section.
$(BUILD)/barelane-%: $(BUILD)/tools/host/barelane_%.o $(TOOL_OBJECTS)
	$(CC) -Wl,--gc-sections $^ -o $@

tools: $(patsubst host/barelane_%.c,$(BUILD)/barelane-%,$(TOOLS))

# --- host tests -----------------------------------------------------------------------------------
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
HOST_CFLAGS := $(COMMON) -O1 -g $(SANITIZE)
# Only gcc has it: an array at the end of a structure, too, ends where it is declared to.
SANITIZE_GCC := $(if $(findstring clang,$(CC)),,-fsanitize=bounds-strict)
HOST_OBJECTS := $(patsubst %.c,$(BUILD)/host/%.o,$(CORE) $(EFI_PURE) $(HOST) \
	$(sort $(wildcard tests/model/*.c)))
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/host/tests/unit/%,$(sort $(wildcard tests/unit/*_test.c)))

$(BUILD)/host/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) $(SANITIZE_GCC) -c $< -o $@

$(BUILD)/host/libbarelane.a: $(HOST_OBJECTS)
	rm -f $@ && ar rcs $@ $^

$(BUILD)/host/tests/unit/%_test: $(BUILD)/host/tests/unit/%_test.o $(BUILD)/host/libbarelane.a
	$(CC) $(SANITIZE) $^ -lcmocka $(TEST_LIBS) -o $@

# Reads the manifest of collected data.
$(BUILD)/host/tests/unit/identify_corpus_test: TEST_LIBS = -ljansson

# Fuzz targets: with libFuzzer (scripts/fuzz), and as tests of their committed inputs.
FUZZ_TARGETS := dump options tables walk
FUZZ_SHARED := look space
FUZZ_TESTS := $(FUZZ_TARGETS:%=$(BUILD)/host/tests/fuzz/%_test)
FUZZ_PROGRAMS := $(FUZZ_TARGETS:%=$(BUILD)/fuzz/%)
FUZZ_CFLAGS := $(COMMON) -O1 -g $(SANITIZE) -fsanitize=fuzzer-no-link
FUZZ_OBJECTS := $(patsubst $(BUILD)/host/%,$(BUILD)/fuzz/%,$(HOST_OBJECTS))

$(FUZZ_TESTS): $(BUILD)/host/tests/fuzz/%_test: $(BUILD)/host/tests/fuzz/%.o \
		$(FUZZ_SHARED:%=$(BUILD)/host/tests/fuzz/%.o) $(BUILD)/host/tests/fuzz/replay.o \
		$(BUILD)/host/libbarelane.a
	$(CC) $(SANITIZE) $^ -lcmocka -o $@

$(BUILD)/fuzz/%.o: %.c
	@mkdir -p $(@D)
	$(CLANG) $(FUZZ_CFLAGS) -c $< -o $@

$(BUILD)/fuzz/libbarelane.a: $(FUZZ_OBJECTS)
	rm -f $@ && ar rcs $@ $^

$(FUZZ_PROGRAMS): $(BUILD)/fuzz/%: $(BUILD)/fuzz/tests/fuzz/%.o \
		$(FUZZ_SHARED:%=$(BUILD)/fuzz/tests/fuzz/%.o) $(BUILD)/fuzz/libbarelane.a
	$(CLANG) $(SANITIZE) -fsanitize=fuzzer $^ -o $@

unit: $(UNIT_TESTS) $(FUZZ_TESTS)
	scripts/unit $^

# --- what a command costs -------------------------------------------------------------------------
# The rooms as the UEFI program has them, on the model: scripts/bench --instructions counts in it.
COST := $(BUILD)/cost/tests/bench/cost
COST_OBJECTS := $(patsubst %.c,$(BUILD)/cost/%.o,tests/bench/cost.c \
	$(filter base/% hw/% drivers/%,$(CORE)) $(sort $(wildcard tests/model/*.c)))

$(BUILD)/cost/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(COMMON) $(EFI_CODE) -c $< -o $@

$(COST): $(COST_OBJECTS)
	$(CC) $^ -o $@

-include $(COST_OBJECTS:.o=.d)

check:
	scripts/check

clean:
	rm -rf $(BUILD)

# For scripts: the value of a variable.
print-%:
	$(info $($*))@:

-include $(EFI_OBJECTS:.o=.d) $(TOOL_OBJECTS:.o=.d) $(TOOL_MAINS:.o=.d) $(HOST_OBJECTS:.o=.d) \
	$(UNIT_TESTS:=.d)
-include $(FUZZ_OBJECTS:.o=.d) $(wildcard $(BUILD)/host/tests/fuzz/*.d $(BUILD)/fuzz/tests/fuzz/*.d)
.SECONDARY:
